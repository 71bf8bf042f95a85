//! As much of JSON Schema as `docs/json.schema.json` uses: any other keyword fails the test.

use serde_json::Value;

/// What says nothing of values.
const NOTES: [&str; 4] = ["$schema", "$defs", "title", "description"];

/// The schema of everything that is printed.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn load() -> Self {
        let text = include_str!("../../../../../docs/json.schema.json");
        Self(serde_json::from_str(text).expect("JSON"))
    }

    /// The document.
    pub(crate) fn document(&self) -> &Value {
        &self.0
    }

    /// Fails with the place where `value` is not what the definition called `name` says.
    pub(crate) fn check(&self, name: &str, value: &Value) {
        let found = self.fault(&self.0["$defs"][name], value, name);
        assert_eq!(found, None, "{value:#}");
    }

    /// The first place where `value` is something else.
    pub(crate) fn fault(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let rules = schema.as_object().unwrap_or_else(|| panic!("{at}: no schema"));
        rules.iter().find_map(|(keyword, rule)| match keyword.as_str() {
            note if NOTES.contains(&note) => None,
            "additionalProperties" => self.others(schema, rule, value, at),
            "properties" => self.members(rule, value, at),
            "$ref" => {
                let name = rule.as_str().and_then(|path| path.strip_prefix("#/$defs/"));
                let target = &self.0["$defs"][name.expect("a definition")];
                self.fault(target, value, at)
            }
            "anyOf" => {
                let all = rule.as_array().expect("schemas");
                let faults: Vec<_> = all.iter().map(|one| self.fault(one, value, at)).collect();
                let none = faults.iter().all(Option::is_some);
                none.then(|| format!("{at}: none fits: {faults:?}"))
            }
            "items" => {
                let items = value.as_array()?.iter().enumerate();
                items
                    .map(|(i, item)| (format!("{at}[{i}]"), item))
                    .find_map(|(at, item)| self.fault(rule, item, &at))
            }
            "required" => {
                let names = rule.as_array().expect("names").iter().filter_map(Value::as_str);
                let object = value.as_object()?;
                names
                    .filter(|name| !object.contains_key(*name))
                    .map(|name| format!("{at}: no {name}"))
                    .next()
            }
            "type" => {
                let fits = match rule {
                    Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                    kind => is(kind, value),
                };
                (!fits).then(|| format!("{at}: {value} is no {rule}"))
            }
            "const" => (rule != value).then(|| format!("{at}: {value} is not {rule}")),
            "enum" => {
                let fits = rule.as_array().expect("values").contains(value);
                (!fits).then(|| format!("{at}: {value} is none of {rule}"))
            }
            "minimum" => {
                let (number, least) = (value.as_f64()?, rule.as_f64().expect("a number"));
                (number < least).then(|| format!("{at}: {number} is below {least}"))
            }
            other => panic!("{at}: the checker knows no {other}"),
        })
    }

    fn members(&self, rules: &Value, value: &Value, at: &str) -> Option<String> {
        let rules = rules.as_object().expect("properties").iter();
        rules
            .filter_map(|(name, rule)| Some((name, rule, value.get(name)?)))
            .find_map(|(name, rule, member)| self.fault(rule, member, &format!("{at}.{name}")))
    }

    /// The members that the schema does not name.
    fn others(&self, schema: &Value, rule: &Value, value: &Value, at: &str) -> Option<String> {
        let mut others =
            value.as_object()?.iter().filter(|(name, _)| schema["properties"].get(name).is_none());
        match rule {
            Value::Bool(true) => None,
            Value::Bool(false) => others.next().map(|(name, _)| format!("{at}: {name} is unknown")),
            rule => {
                others.find_map(|(name, other)| self.fault(rule, other, &format!("{at}.{name}")))
            }
        }
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}
