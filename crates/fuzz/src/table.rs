//! A user's file: a table or an error, and every row comes back as it was.

use veilset_data::{KeySet, KeySpec, Linkage, Table, check};

use crate::Seed;

/// A CSV file.
pub fn table(data: &[u8]) {
    let Ok(table) = Table::parse("input".to_owned(), data.to_vec(), b',') else { return };
    let mut raw_rows = table.raw_rows();
    for row in 0..table.rows() {
        let raw = raw_rows.get(row).expect("in memory").expect("text").as_bytes();
        assert!(data.windows(raw.len().max(1)).any(|window| window == raw) || raw.is_empty());
    }
    let column = table.header()[0].replace('"', "\"\"");
    for preset in ["raw", "email-gmail", "phone-us", "name", "ip", "date"] {
        let Ok(spec) = format!("\"{column}\":{preset}").parse::<KeySpec>() else { continue };
        let Ok(keys) = KeySet::build(&table, &spec) else { continue };
        let skipped = keys.null_rows() + keys.placeholder_rows() + keys.invalid_rows();
        assert_eq!(keys.len() + keys.duplicate_rows() + skipped, table.rows());
        let name = table.header()[0].clone();
        let report = check(&table, &spec, &[name]).expect("the column is there");
        assert_eq!(report.distinct, keys.len());
    }
    for rule in
        ["name~deletion", "~transposition", "date~year", "name~metaphone", "address~minhash"]
    {
        let spec: KeySpec = format!("\"{column}\":{rule}").parse().expect("a key");
        let Ok(list) = Linkage::build(&table, std::slice::from_ref(&spec)) else { continue };
        let set = list.first();
        let all: Vec<u32> = (0..).take(set.len()).collect();
        let carry = set.rows_of(&all).count();
        let skipped = set.null_rows() + set.placeholder_rows() + set.invalid_rows();
        assert_eq!(carry + skipped, table.rows());
        assert_eq!(list.rows_of(&all).count(), carry);
        assert!(set.duplicate_rows() <= carry);
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    vec![
        Seed::new(
            "plain",
            "k,v\na.b+c@gmail.com,1\n+1 650 253 0000,2\n2001:db8::1,3\n2024-02-29,4\n",
        ),
        Seed::new("quoted", "\u{feff}\"k \"\"x\"\"\",v\r\n\"a\r\nb\",\"\"\r\n\"\"\"\",2\r\n"),
        Seed::new("one column", "k\nÄnne  Müller\n\n1.2.3.4\n1.2.3.4\n29/02/2024\n N/A \n"),
    ]
}
