//! Curves, as SVG.

use std::fmt::Write;

/// A named curve.
pub(super) struct Curve {
    pub(super) name: String,
    /// Whether it is the paper's.
    pub(super) published: bool,
    /// Places and values, positive if axes are logarithmic.
    pub(super) points: Vec<(f64, f64)>,
}

/// How axes go up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// By factors: places by 2, values by 10.
    Logarithmic,
    /// From 0, by steps.
    Linear,
}

/// Curves over the same axes.
pub(super) struct Panel<'a> {
    pub(super) title: &'a str,
    /// The names of places and values.
    pub(super) axes: [&'a str; 2],
    pub(super) scale: Scale,
    pub(super) curves: &'a [Curve],
}

/// The size of a panel, and what is left at its right for names.
struct Frame {
    width: f64,
    height: f64,
    right: f64,
}

/// Of a panel alone.
const WHOLE: Frame = Frame { width: 760.0, height: 460.0, right: 210.0 };

/// Of one among several, two a row.
const SMALL: Frame = Frame { width: 500.0, height: 290.0, right: 160.0 };

const LEFT: f64 = 64.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;

/// Colours that people with any colour vision tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000"];

/// More points of a curve have no dots.
const DOTS: usize = 20;

/// The curves over sizes that are powers of two; `axes` are the names of sizes and values. The picture suits light and dark pages.
pub(super) fn svg(title: &str, axes: [&str; 2], curves: &[Curve]) -> String {
    let panel = Panel { title, axes, scale: Scale::Logarithmic, curves };
    document(title, WHOLE.width, WHOLE.height, &panel.drawn(&WHOLE))
}

/// Panels, two a row.
pub(super) fn page(title: &str, panels: &[Panel<'_>]) -> String {
    let mut body = String::new();
    for (number, panel) in panels.iter().enumerate() {
        let (x, y) = ((number % 2) as f64 * SMALL.width, (number / 2) as f64 * SMALL.height);
        let _ = write!(body, "<g transform=\"translate({x} {y})\">\n{}</g>\n", panel.drawn(&SMALL));
    }
    let height = panels.len().div_ceil(2) as f64 * SMALL.height;
    document(title, 2.0 * SMALL.width, height, &body)
}

fn document(title: &str, width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Where values lie between two places of the picture.
struct Axis {
    low: f64,
    high: f64,
    places: [f64; 2],
    scale: Scale,
}

impl Axis {
    /// Of values, whose axis ends at round numbers, or of places, whose logarithmic axis ends with them.
    fn new(values: impl Iterator<Item = f64>, places: [f64; 2], scale: Scale, round: bool) -> Self {
        let (low, high) =
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = match (scale, round) {
            (Scale::Linear, _) => (0.0, (high / step(high)).ceil() * step(high)),
            (Scale::Logarithmic, true) => {
                (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()))
            }
            (Scale::Logarithmic, false) => (low, high),
        };
        Self { low, high, places, scale }
    }

    fn at(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Logarithmic => value.ln(),
            Scale::Linear => value,
        };
        let [low, high, value] = [self.low, self.high, value].map(along);
        let share = (value - low) / (high - low).max(1e-9);
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    /// The places that are named, by powers of `base` if it is logarithmic, with their names.
    fn ticks(&self, base: i32) -> Vec<(f64, String)> {
        let power = |exponent: i32| {
            let name = format!("{base}<tspan dy=\"-4\" font-size=\"9\">{exponent}</tspan>");
            (self.at(f64::from(base).powi(exponent)), name)
        };
        let even = |count: i32| {
            let value = f64::from(count) * step(self.high);
            (self.at(value), format!("{}", (value * 1e6).round() / 1e6))
        };
        match self.scale {
            Scale::Logarithmic => {
                let [low, high] = [self.low, self.high].map(|end| end.log(base.into()));
                ((low - 1e-9).ceil() as i32..=(high + 1e-9).floor() as i32).map(power).collect()
            }
            Scale::Linear => (0..=(self.high / step(self.high)).round() as i32).map(even).collect(),
        }
    }
}

/// A round number of which some five make `high`.
fn step(high: f64) -> f64 {
    let power = 10_f64.powf((high / 5.0).max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| step * 5.5 >= high).unwrap_or(steps[3])
}

impl Panel<'_> {
    fn drawn(&self, frame: &Frame) -> String {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let end = frame.width - frame.right;
        let across = Axis::new(points().map(|point| point.0), [LEFT, end], self.scale, false);
        let heights = [frame.height - BOTTOM, TOP];
        let down = Axis::new(points().map(|point| point.1), heights, self.scale, true);
        let (title, [x, y]) = (self.title, self.axes);
        let mut svg = format!(
            "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n"
        );
        for (at, name) in down.ticks(10) {
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{end}\" stroke=\"#dddddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                LEFT - 8.0,
                at + 4.0
            );
        }
        for (at, name) in across.ticks(2) {
            let under = frame.height - BOTTOM + 20.0;
            let _ = writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"middle\">{name}</text>"
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text><text x=\"{LEFT}\" y=\"38\" fill=\"#555555\">{y}</text>",
            (LEFT + end) / 2.0,
            frame.height - 10.0
        );
        for (number, curve) in self.curves.iter().enumerate() {
            let at = (end + 16.0, TOP + 10.0 + 20.0 * number as f64);
            curve.draw(COLOURS[number % COLOURS.len()], [&across, &down], at, &mut svg);
        }
        svg
    }
}

impl Curve {
    /// The curve, and its name at that place.
    fn draw(&self, colour: &str, [across, down]: [&Axis; 2], at: (f64, f64), svg: &mut String) {
        let dashes = if self.published { " stroke-dasharray=\"5 4\"" } else { "" };
        let place = |(x, v): &(f64, f64)| (across.at(*x), down.at(*v));
        let places: Vec<(f64, f64)> = self.points.iter().map(place).collect();
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            line.join(" ")
        );
        for (x, y) in places.iter().filter(|_| places.len() <= DOTS) {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let (left, base) = at;
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {:.1}h24\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/><text x=\"{:.1}\" y=\"{base:.1}\">{}</text>",
            base - 4.0,
            left + 30.0,
            self.name
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that follow a name in the picture.
    fn numbers(svg: &str, name: &str) -> Vec<f64> {
        let rest = svg.split(name).skip(1);
        rest.map(|rest| rest.split('"').next().and_then(|n| n.parse().ok()).expect("a number"))
            .collect()
    }

    fn curve(published: bool, points: &[(f64, f64)]) -> Curve {
        Curve { name: "one".into(), published, points: points.to_vec() }
    }

    #[test]
    fn curves_stay_within_the_picture() {
        let curves = [curve(false, &[(128.0, 0.01), (4096.0, 30.0)]), curve(true, &[(128.0, 4.0)])];
        let svg = svg("A title", ["elements", "seconds"], &curves);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
        let places = numbers(&svg, "cx=\"");
        assert_eq!(places.len(), 3);
        assert!(
            places.iter().all(|x| (LEFT..=WHOLE.width - WHOLE.right).contains(x)),
            "{places:?}"
        );
    }

    #[test]
    fn linear_axes_begin_at_zero_and_have_round_steps() {
        let curves = [curve(false, &[(2.0, 90.0), (100.0, 1960.0)])];
        let panel = |title| Panel {
            title,
            axes: ["entries", "comparisons"],
            scale: Scale::Linear,
            curves: &curves,
        };
        let svg = page("All", &[panel("first"), panel("second"), panel("third")]);
        for tick in [">0<", ">40<", ">100<", ">500<", ">2000<"] {
            assert!(svg.matches(tick).count() >= 3, "{tick}: {svg}");
        }
        assert!(svg.contains(&format!("translate(0 {})", SMALL.height)));
        let (foot, heights) = (SMALL.height - BOTTOM, numbers(&svg, "cy=\""));
        // 90 of 2000 from the foot, and 1960.
        let expected = [90.0, 1960.0].map(|v| foot - v / 2000.0 * (foot - TOP));
        assert!(heights[..2].iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.1), "{heights:?}");
    }
}
