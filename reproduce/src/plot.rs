//! Curves over logarithmic axes, as SVG.

use std::fmt::Write;

/// A named curve.
pub(super) struct Curve {
    pub(super) name: String,
    /// Whether it is the paper's.
    pub(super) published: bool,
    /// Places and values, both positive.
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;

/// Colours that people with any colour vision tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000"];

/// The curves over sizes that are powers of two; `axes` are the names of sizes and values. The picture suits light and dark pages.
pub(super) fn svg(title: &str, axes: [&str; 2], curves: &[Curve]) -> String {
    let [x, y] = axes;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |value: fn(&(f64, f64)) -> f64| {
        points()
            .map(value)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((x0, x1), (y0, y1)) = (range(|point| point.0), range(|point| point.1));
    let (y0, y1) = (y0.log10().floor(), y1.log10().ceil());
    let across = |x: f64| {
        LEFT + (x.log2() - x0.log2()) / (x1.log2() - x0.log2()).max(1e-9) * (WIDTH - LEFT - RIGHT)
    };
    let down =
        |v: f64| HEIGHT - BOTTOM - (v.log10() - y0) / (y1 - y0).max(1e-9) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n"
    );
    for power in y0 as i32..=y1 as i32 {
        let at = down(10_f64.powi(power));
        let end = WIDTH - RIGHT;
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{end}\" stroke=\"#dddddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">10<tspan dy=\"-4\" font-size=\"9\">{power}</tspan></text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    for power in x0.log2().ceil() as i32..=x1.log2().floor() as i32 {
        let at = across(2_f64.powi(power));
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">2<tspan dy=\"-4\" font-size=\"9\">{power}</tspan></text>",
            HEIGHT - BOTTOM + 20.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text><text x=\"{LEFT}\" y=\"38\" fill=\"#555555\">{y}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 10.0
    );
    for (number, curve) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let dashes = if curve.published { " stroke-dasharray=\"5 4\"" } else { "" };
        let place = |(x, v): &(f64, f64)| format!("{:.1},{:.1}", across(*x), down(*v));
        let line: Vec<String> = curve.points.iter().map(place).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            line.join(" ")
        );
        for (x, v) in &curve.points {
            let (x, y) = (across(*x), down(*v));
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let at = TOP + 10.0 + 20.0 * number as f64;
        let left = WIDTH - RIGHT + 16.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {:.1}h24\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/><text x=\"{:.1}\" y=\"{at:.1}\">{}</text>",
            at - 4.0,
            left + 30.0,
            curve.name
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_stay_within_the_picture() {
        let curve = |published, points: &[(f64, f64)]| Curve {
            name: "one".into(),
            published,
            points: points.to_vec(),
        };
        let curves = [curve(false, &[(128.0, 0.01), (4096.0, 30.0)]), curve(true, &[(128.0, 4.0)])];
        let svg = svg("A title", ["elements", "seconds"], &curves);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
        let places =
            svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().expect("a number"));
        for place in places {
            let x: f64 = place.parse().expect("a number");
            assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{x}");
        }
    }
}
