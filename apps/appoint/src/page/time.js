// What clocks show, such as "2027-03-29T09:00", for a reader. The program did the zones.

const shown = (options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const SHORT = shown({ weekday: "short", day: "numeric", month: "short" });
const LONG = shown({ weekday: "long", day: "numeric", month: "long" });
const FULL = shown({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const NAME = shown({ weekday: "short" });

const utc = (clock) => new Date(`${clock.slice(0, 10)}T00:00Z`);
const DAY = 86_400_000;

export const date = (clock) => clock.slice(0, 10);
export const hour = (clock) => clock.slice(11, 16);
export const short = (clock) => SHORT.format(utc(clock)).replace(",", "");
export const long = (clock) => LONG.format(utc(clock)).replace(",", "");
export const full = (clock) => FULL.format(utc(clock)).replace(",", "");
export const name = (clock) => NAME.format(utc(clock));
export const number = (clock) => String(Number(clock.slice(8, 10)));

// The Monday before a day, or the day itself.
export function monday(clock) {
  const day = utc(clock);
  return plus(date(clock), -((day.getUTCDay() + 6) % 7));
}

export const plus = (day, days) => new Date(utc(day).getTime() + days * DAY).toISOString().slice(0, 10);

// From a start to an end, without the day if both are of one.
export function span([start, end]) {
  const later = date(start) === date(end) ? "" : `${short(end)} `;
  return `${hour(start)} – ${later}${hour(end)}`;
}
