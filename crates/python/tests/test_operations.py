"""Every operation on every kind of frame, against plain sets."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
import veilset
from conftest import KINDS, Columns, Pair, Parties, conforms, rows

VECTORS = Path(__file__).parents[3] / "vectors"

OPTIONS: dict[str, Any] = {"on": "email", "preset": "email", "threads": 1}


def columns(frame: Any) -> list[str]:
    return list(getattr(frame, "column_names", None) or frame.columns)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(operation: Any, people: Pair, kind: str, **more: Any) -> tuple[Any, Any]:
    make = KINDS[kind]
    a, b = veilset.run_local(operation, make(people.a), make(people.b), **OPTIONS, **more)
    return a, b


def test_intersect_gives_ones_own_rows_in_order(people: Pair, kind: str) -> None:
    a, b = run("intersect", people, kind)
    common = people.common()
    assert common, "the lists overlap"
    for result, list_ in ((a, people.a), (b, people.b)):
        everything = rows(KINDS[kind](list_))
        expected = [row for row in everything if row["email"].strip().lower() in common]
        assert type(result.table) is type(KINDS[kind](list_))
        assert rows(result.table) == expected
        assert result.count == result.matches == len(common)
        assert result.report["result"]["rows"] == len(expected)


@pytest.mark.parametrize("flooding", ["off", "on"])
def test_flooding_is_a_keyword(people: Pair, flooding: Any) -> None:
    a, b = run("intersect", people, "polars", protocol="fhe", flooding=flooding)
    for result in (a, b):
        assert result.count == len(people.common())
        assert result.report["flooding"] == flooding


def test_rows_that_count_and_how_values_spread() -> None:
    own = {"id": ["a", "b", "c", "d", "b"], "paid": ["1.5", "20", "30", "40.5", "2"]}
    other = {"id": ["b", "c", "d", "e"]}
    both = [KINDS["polars"](own), KINDS["pandas"](other)]
    a, b = veilset.run_local(
        "sum", *both, on="id", value="paid", stats=True, where=["paid>=2", "paid<40"]
    )
    # The keys b, of two rows, and c.
    paid = [Decimal(22), Decimal(30)]
    mean = sum(paid, Decimal(0)) / 2
    assert (a.count, a.sums, b.sums) == (2, {"paid": Decimal(52)}, None)
    assert a.spreads is not None
    assert a.spreads["paid"].mean == mean
    assert a.spreads["paid"].variance == sum(((each - mean) ** 2 for each in paid), Decimal(0)) / 2
    # The other side hears of the four keys that all rows have.
    assert (a.report["distinct"], a.report["padded_to"], a.report["left_out"]) == (2, 4, 2)
    assert (b.report["peer_distinct"], b.spreads) == (4, None)
    a, _ = veilset.run_local("sum", *both, on="id", value="paid", stats=True, where="id=a")
    assert a.spreads == {"paid": veilset.Spread(None, None)}
    for wrong, why in [("paid", "such as"), ("id<3b", "texts with ="), ("payd=1", "did you mean")]:
        with pytest.raises(veilset.InputError, match=why):
            veilset.run_local("sum", *both, on="id", value="paid", where=wrong)
    with pytest.raises(veilset.InputError, match="variance comes of exact numbers"):
        veilset.run_local("sum", *both, on="id", value="paid", stats=True, round=10)
    with pytest.raises(veilset.InputError, match="where"):
        veilset.run_local("union", *both, on="id", where="id=a")
    with pytest.raises(veilset.InputError, match="for the side that gives value="):
        veilset.run_local("sum", *both, on="id", stats=True)


def test_a_session_keeps_what_rows_must_say(parties: Parties, address: str) -> None:
    own = polars.DataFrame(
        {"id": [1, 2, 3], "day": ["2026-01-30", "2026-01-31T09:00", "2026-02-01"]}
    )
    with (
        veilset.Session("acme", party=parties.you, listen=address, where="day<=2026-01-31") as here,
        veilset.Session("you", party=parties.acme, connect=address) as there,
        ThreadPoolExecutor() as threads,
    ):
        waiting = threads.submit(here.count, own, on="id")
        result = there.count(polars.DataFrame({"id": [2, 3, 4]}), on="id")
        assert (waiting.result().count, result.count) == (1, 1)
    assert result.report["peer_distinct"] == 3


def test_products_with_a_column_of_the_other_side() -> None:
    prices = {"id": ["a", "b", "b", "c"], "price": ["1.50", "2", "3", "-4.25"]}
    amounts = {"id": ["b", "c", "c", "d"], "amount": [3.0, 4.0, 0.5, 9.0]}
    both = (polars.DataFrame(prices), polars.DataFrame(amounts))
    a, b = veilset.run_local(
        "sum", *both, on="id", value=["price*amount", "price", "*amount"], factor="amount"
    )
    # The key b has prices of 5 in all, and c amounts of 4.5.
    assert a.sums == {
        "price": Decimal("0.75"),
        "price*amount": Decimal("-4.125"),
        "*amount": Decimal("7.5"),
    }
    assert (a.count, b.count, b.sums) == (2, 2, None)
    with pytest.raises(veilset.InputError, match="no variance of products"):
        veilset.run_local("sum", *both, on="id", value="price*amount", factor="amount", stats=True)
    with pytest.raises(veilset.TermsError, match="factor"):
        veilset.run_local("sum", *both, on="id", value="price", factor="amount")
    planned = veilset.plan("sum", 1000, 1000, products=1, factor_bytes=2, lent_groups=5)
    assert [plan["protocol"] for plan in planned["plans"]] == ["circuit-sum"]


def test_groups_that_a_side_lends(parties: Parties, address: str) -> None:
    own = polars.DataFrame({"id": [1, 2, 3, 4], "spent": [10, 20, 30, 40]})
    theirs = polars.DataFrame({"id": [2, 3, 4, 5], "kind": ["x", "y", "x", "z"]})
    with (
        veilset.Session("acme", party=parties.you, listen=address) as here,
        veilset.Session("you", party=parties.acme, connect=address) as there,
        ThreadPoolExecutor() as threads,
    ):
        waiting = threads.submit(here.sum, own, on="id", value="spent", groups=4)
        lent = there.sum(theirs, on="id", by="kind", groups=4)
        groups = waiting.result().groups
    assert lent.groups is None
    assert [(group.by, group.count, group.sums) for group in groups or []] == [
        ({"kind": "x"}, 2, {"spent": Decimal(60)}),
        ({"kind": "y"}, 1, {"spent": Decimal(30)}),
        ({"kind": "z"}, 0, {"spent": Decimal(0)}),
    ]


def test_rows_match_blind() -> None:
    own = polars.DataFrame({"mail": ["a", "b", None, "d"], "phone": ["1", "2", "3", "4"]})
    theirs = polars.DataFrame({"mail": ["a", "x", "d"], "phone": ["9", "3", "4"]})
    for match in ("grouped", "blind"):
        a, b = veilset.run_local(
            "count", own, theirs, on=[["mail"], ["phone"]], match=match, learn="both"
        )
        assert (a.count, b.count) == (3, 3)
        assert a.report["protocol"].startswith("circuit" if match == "blind" else "mqrpmt")


def test_sums_by_group(people: Pair, kind: str) -> None:
    own = rows(KINDS[kind](people.a))
    regions = [("north", "south", "west")[len(row["email"]) % 3] for row in own]
    keys: dict[str, str] = {}
    for row, region in zip(own, regions, strict=True):
        keys.setdefault(row["email"].strip().lower(), region)
    table = {
        "email": [row["email"] for row in own],
        "region": [keys[row["email"].strip().lower()] for row in own],
        "amount": [str(place) for place in range(len(own))],
    }
    a, b = veilset.run_local(
        "sum",
        KINDS["polars"](table),
        KINDS[kind](people.b),
        **OPTIONS,
        value="amount",
        by="region",
        groups=3,
        least=1,
    )
    expected: dict[str, tuple[set[str], int]] = {}
    for place, row in enumerate(own):
        key = row["email"].strip().lower()
        if key in people.common():
            found, total = expected.get(keys[key], (set(), 0))
            expected[keys[key]] = (found | {key}, total + place)
    for group in a.groups or []:
        region = group.by["region"]
        if region in expected:
            found, total = expected[region]
            assert (group.count, group.sums) == (len(found), {"amount": Decimal(total)})
        else:
            assert (group.count, group.sums) == (None, None)
    assert {group.by["region"] for group in a.groups or []} == set(keys.values())
    assert (a.count, a.sums, b.groups, b.count) == (None, None, None, None)
    conforms("run", a.report)


def test_count_tells_no_more(people: Pair, kind: str) -> None:
    a, b = run("count", people, kind, learn="me")
    assert (a.count, a.table) == (len(people.common()), None)
    assert (b.count, b.table) == (None, None)
    assert a.report["distinct"] == len(set(people.a["email"]))


def test_sum_is_exact(people: Pair, kind: str) -> None:
    a, b = run("sum", people, kind, value="amount")
    common = people.common()
    pairs = zip(people.a["email"], people.a["amount"], strict=True)
    assert a.sums == {"amount": Decimal(sum(amount for email, amount in pairs if email in common))}
    assert (b.count, b.sums) == (len(common), None)


def test_union_appends_what_one_lacks(people: Pair, kind: str) -> None:
    a, b = run("union", people, kind)
    own, theirs = set(people.a["email"]), {email.strip().lower() for email in people.b["email"]}
    assert a.count == b.count == len(own | theirs)
    have = rows(a.table)
    assert [row["email"] for row in have[: len(people.a["email"])]] == people.a["email"]
    came = have[len(people.a["email"]) :]
    assert {row["email"].strip().lower() for row in came} == theirs - own
    assert all(row["amount"] is None for row in came)
    if kind != "pandas":
        assert have[0]["amount"] == people.a["amount"][0]


def test_align_gives_both_the_same_identifiers(people: Pair, kind: str) -> None:
    a, b = run("align", people, kind)

    def ids(table: Any) -> tuple[dict[str, str], set[str]]:
        own = [row for row in rows(table) if row["email"] is not None]
        others = {row["veilset_id"] for row in rows(table) if row["email"] is None}
        return {row["email"].strip().lower(): row["veilset_id"] for row in own}, others

    (own_a, others_a), (own_b, others_b) = ids(a.table), ids(b.table)
    common = people.common()
    assert {email: own_a[email] for email in common} == {email: own_b[email] for email in common}
    assert len(set(own_a.values())) == len(own_a)
    assert set(own_a.values()) | others_a == set(own_b.values()) | others_b
    assert len(others_a) == len(own_b) - len(common)


def test_align_has_the_table_of_admap(
    parties: Parties, address: str, kind: str, tmp_path: Path
) -> None:
    vectors = json.loads((VECTORS / "admap.json").read_text(encoding="utf-8"))
    texts = [vector["text"] for vector in vectors["email"]]

    def align(party: veilset.Party, peer: str, texts: list[str], **way: Any) -> Any:
        return veilset.align(
            KINDS[kind]({"k": texts, "veilset_id": texts}),
            on="k",
            preset="email-ascii-sha256",
            format="admap",
            party=party,
            peer=peer,
            **way,
        )

    out = tmp_path / "mapping.csv"
    with ThreadPoolExecutor() as pool:
        other = pool.submit(
            align, parties.acme, "you", texts[:1], connect=address, space_id="campaign 7"
        )
        found = rows(align(parties.you, "acme", texts, listen=address, output=out).table)
    theirs = rows(other.result().table)
    assert list(found[0]) == vectors["columns"]
    assert {row["Key Value"] for row in found} == {v["key_value"] for v in vectors["email"]}
    (same,) = [row for row in found if row["Key Value"] == vectors["published"]["email"]]
    assert [(row["ADMAP ID"], row["Space ID"]) for row in theirs] == [
        (same["ADMAP ID"], "campaign 7")
    ]
    assert len({row["ADMAP ID"] for row in found}) == len(found)
    assert {len(row["Space ID"]) for row in found} == {32}
    lines = out.read_text().splitlines()
    assert lines == [",".join(vectors["columns"]), *(",".join(row.values()) for row in found)]


def test_what_admap_has_not_is_refused(parties: Parties, address: str) -> None:
    frame = polars.DataFrame({"k": ["a"], "l": ["b"]})
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"on": "k", "format": "csv"}, "format is one of: rows, admap"),
        ({"on": "k", "space_id": "7"}, "space_id= is for format="),
        ({"on": "k", "format": "admap", "space_id": "\n"}, "a text of 1 to"),
        ({"on": ["k", "l"], "format": "admap"}, "one key value in a row"),
    ]
    for options, why in wrong:
        with pytest.raises(veilset.InputError, match=why):
            veilset.align(frame, party=parties.you, peer="acme", connect=address, **options)


@pytest.mark.parametrize(
    ("scheme", "best"), [("sum-of-ranks", "blue"), ("minimum-of-ranks", "green")]
)
def test_the_row_that_both_prefer_most_is_chosen(
    parties: Parties, address: str, kind: str, scheme: Any, best: str
) -> None:
    # Ranks from 5 down: blue has 5 and 2, green 3 and 3.
    mine = ["blue", "red", "green", "white", "black"]
    theirs = ["grey", "pink", "green", "blue", "tan"]

    def choose(party: veilset.Party, peer: str, order: list[str], **way: Any) -> Any:
        table = KINDS[kind]({"colour": order, "place": list(range(5))})
        return veilset.choose(table, on="colour", scheme=scheme, party=party, peer=peer, **way)

    with ThreadPoolExecutor() as pool:
        other = pool.submit(choose, parties.acme, "you", theirs, connect=address)
        found = choose(parties.you, "acme", mine, listen=address)
        for order, result in ((mine, found), (theirs, other.result())):
            (row,) = rows(result.table)
            assert (row["colour"], row["place"]) == (best, order.index(best))
            assert result.report["result"]["row"] == order.index(best)
            assert f"row {order.index(best) + 1} of yours" in repr(result)


def test_nothing_in_common_leaves_nothing_to_choose(kind: str) -> None:
    a, b = (KINDS[kind]({"k": [name]}) for name in "ab")
    for result in veilset.run_local("agree", a, b, on="k"):
        assert rows(result.table) == []
        assert "no key is in both lists" in repr(result)


def test_shares_add_up(people: Pair, kind: str) -> None:
    a, b = run("share", people, kind, value="amount")

    def words(result: Any, column: str) -> list[int]:
        return [int.from_bytes(row[column], "little") for row in rows(result.table)]

    def secrets(column: str) -> list[int]:
        sums = zip(words(a, column), words(b, column), strict=True)
        return [(x + y + 2**127) % 2**128 - 2**127 for x, y in sums]

    amounts = people.a["amount"]
    pairs = list(zip(people.a["email"], amounts, strict=True))
    assert sum(secrets("indicator")) == len(people.common())
    assert sum(secrets("amount")) == sum(n for email, n in pairs if email in people.common())


def test_both_sides_values_are_shared(parties: Parties, address: str) -> None:
    def share(party: veilset.Party, peer: str, list_: Columns, **way: Any) -> Any:
        table = pyarrow.table(list_)
        return veilset.share(table, on="k", value="n", party=party, peer=peer, **way)

    with ThreadPoolExecutor() as pool:
        other = pool.submit(
            share, parties.acme, "you", {"k": [2, 3, 4], "n": [20, -30, 40]}, connect=address
        )
        found = share(parties.you, "acme", {"k": [1, 2, 3], "n": [5, 6, 7]}, listen=address)
        both = (rows(found.table), rows(other.result().table))

    def secret(pair: tuple[Any, Any], column: str) -> int:
        words = (int.from_bytes(row[column], "little") for row in pair)
        return (sum(words) + 2**127) % 2**128 - 2**127

    columns = ("indicator", "n", "n_2")
    secrets = [tuple(secret(pair, name) for name in columns) for pair in zip(*both, strict=True)]
    matches = sorted(numbers[1:] for numbers in secrets if numbers[0])
    # Whoever connects is the receiver, whose columns come last.
    assert matches == [(6, 20), (7, -30)]
    assert all(numbers == (0, 0, 0) for numbers in secrets if not numbers[0])


def test_keys_of_several_columns_and_of_numbers() -> None:
    a = pyarrow.table({"n": [1, 2, 3, None], "d": ["2024-02-29", "2024/03/01", "x", None]})
    b = polars.DataFrame({"n": ["1", "2", "9"], "d": ["20240229", "2024-03-01", "2024-03-01"]})
    first, second = veilset.run_local("intersect", a, b, on=["n", "d"], preset=["raw", "date"])
    assert rows(first.table) == rows(a.slice(0, 2))
    assert rows(second.table) == b.to_dicts()[:2]


def test_a_pandas_index_and_odd_columns_stay() -> None:
    frame = pandas.DataFrame(
        {"k": ["a", "b", None, "d"], "mixed": [1, "x", [2], None]}, index=[10, 20, 30, 40]
    )
    result, _ = veilset.run_local("intersect", frame, KINDS["pandas"]({"k": ["d", "b"]}), on="k")
    pandas.testing.assert_frame_equal(result.table, frame.iloc[[1, 3]])


def test_categories_chunks_and_slices() -> None:
    words: Columns = {"k": ["x", "y", "x", "z", None]}
    category = KINDS["pandas"](words).astype("category")
    chunked = pyarrow.concat_tables(
        [pyarrow.table(words).slice(1, 2), pyarrow.table(words).slice(3)]
    )
    a, b = veilset.run_local("intersect", category, chunked, on="k")
    assert rows(a.table) == [{"k": "x"}, {"k": "y"}, {"k": "x"}, {"k": "z"}]
    assert rows(b.table) == [{"k": "y"}, {"k": "x"}, {"k": "z"}]


def test_any_object_with_a_stream_is_a_table() -> None:
    class Producer:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return pyarrow.table({"k": ["a", "b"]}).__arrow_c_stream__(requested_schema)

    reader = pyarrow.table({"k": ["b", "c"]}).to_reader()
    a, b = veilset.run_local("intersect", Producer(), reader, on="k")
    assert isinstance(a.table, pyarrow.Table)
    assert rows(a.table) == rows(b.table) == [{"k": "b"}]


def test_learning_alone(people: Pair) -> None:
    a, b = run("intersect", people, "polars", learn="peer")
    assert (a.table, a.count) == (None, None)
    assert b.count == len(people.common())
    assert "You learn" in a.learned and a.learned != b.learned


def test_malicious_security_and_a_named_protocol(people: Pair) -> None:
    a, _ = run("intersect", people, "pyarrow", security="malicious", learn="me")
    assert a.count == len(people.common())
    b, _ = run("intersect", people, "pyarrow", protocol=a.protocol, learn="me")
    assert (b.protocol, b.count) == (a.protocol, a.count)


KEYS: dict[str, Any] = {"on": [["email"], ["phone"]], "preset": ["email", "raw"], "threads": 1}
ONE: Columns = {"email": ["a@x", "b@x", "", "d@x"], "phone": ["1", "2", "3", "4"]}
OTHER: Columns = {"email": ["B@x", "", "e@x", "d@x"], "phone": ["9", "1", "3", ""]}


def test_rows_match_by_the_first_of_several_keys(kind: str) -> None:
    make = KINDS[kind]
    a, b = veilset.run_local("intersect", make(ONE), make(OTHER), **KEYS)
    keys = [[row["veilset_key"] for row in rows(result.table)] for result in (a, b)]
    assert keys == [["2", "1", "2", "1"], ["1", "2", "2", "1"]]
    assert a.report["result"]["by_key"] == [2, 2]
    conforms("run", a.report)
    a, b = veilset.run_local(
        "intersect", make(ONE), make(OTHER), learn="me", match="one-sided", **KEYS
    )
    assert [row["phone"] for row in rows(a.table)] == ["1", "2", "3", "4"]
    assert (b.table, b.report["match"]) == (None, "one-sided")


def test_a_row_with_several_keys_counts_once(kind: str) -> None:
    make = KINDS[kind]
    one = {**ONE, "paid": ["1.50", "2", "4", "8"]}
    a, b = veilset.run_local("count", make(ONE), make(OTHER), **KEYS)
    assert (a.count, b.count, a.report["match"]) == (4, 4, "grouped")
    assert repr(a) == "<veilset count by mqrpmt-dh: 4 rows match>"
    conforms("run", a.report)
    a, b = veilset.run_local("sum", make(one), make(OTHER), value="paid", **KEYS)
    assert (a.count, a.sums, b.count) == (4, {"paid": Decimal("15.50")}, 4)
    more = make({"email": ["f@x", "d@x", ""], "phone": ["7", "8", "9"]})
    a, b = veilset.run_local("union", make(ONE), more, **KEYS)
    came = [(row["email"], row["phone"]) for row in rows(a.table)[4:]]
    assert sorted((email or "", phone) for email, phone in came) == [("", "9"), ("f@x", "7")]
    assert len(rows(b.table)) == 3 + 3
    conforms("run", a.report)


def test_a_key_that_several_rows_carry_is_nobodys_where_pairs_are_one_to_one() -> None:
    one = polars.DataFrame({"k": ["a", "a", "b", "c"]})
    other = polars.DataFrame({"k": ["a", "b", "c", "c"]})
    for more in ({"pairs": "one-to-one"}, {"most_per_key": 1}):
        a, b = veilset.run_local("intersect", one, other, on="k", threads=1, **more)
        assert [result.table["k"].to_list() for result in (a, b)] == [["b"], ["b"]]
        assert a.report["crowded"] == b.report["crowded"] == 2
        conforms("run", a.report)


JOINED: list[Columns] = [
    {"k": ["a", "b", "b", "c", ""], "v": ["1", "2", "3", "4", "5"]},
    {"k": ["b", "a", "b", "x"], "v": ["p", "", "r", "s"], "w": ["=1", "-2", "y", "z"]},
]


@pytest.mark.parametrize("protocol", ["rr22", "dh"])
def test_columns_come_with_the_matches(kind: str, protocol: str) -> None:
    make = KINDS[kind]
    frames = [make(columns) for columns in JOINED]

    def joined(join: Any) -> list[tuple[Any, ...]]:
        a, b = veilset.run_local(
            "intersect",
            *frames,
            on="k",
            send="v",
            join=join,
            protocol=protocol,
            threads=1,
        )
        conforms("run", a.report)
        assert a.report["result"]["columns"] == ["v"]
        assert a.report["result"]["joined"] == len(rows(a.table))
        assert type(a.table) is type(frames[0])
        assert columns(b.table)[:3] == ["k", "v", "w"]
        return [tuple(row.values()) for row in rows(a.table)]

    first = ("a", "1", "")
    second = [("b", v, other) for v in ("2", "3") for other in ("p", "r")]
    assert joined("inner") == [first, *second]
    assert joined("left") == [first, *second, ("c", "4", None), ("", "5", None)]
    assert joined("anti") == [("c", "4"), ("", "5")]


def test_a_column_that_both_have_is_told_apart(parties: Parties, kind: str) -> None:
    make = KINDS[kind]
    a, b = veilset.run_local(
        "intersect", make(JOINED[0]), make(JOINED[1]), on="k", send="v", learn="me", threads=1
    )
    assert columns(a.table) == ["k", "v", "b.v"]
    assert b.table is None
    way: Any = {"party": parties.you, "peer": "acme", "connect": "127.0.0.1:1"}
    with pytest.raises(veilset.InputError, match="you send no rows: leave out send="):
        veilset.intersect(make(JOINED[0]), on="k", send="v", learn="me", **way)


def test_columns_come_with_matches_by_several_keys(kind: str) -> None:
    make = KINDS[kind]
    other = {**OTHER, "n": [str(n) for n in range(len(OTHER["email"]))]}
    a, _ = veilset.run_local("intersect", make(ONE), make(other), send="phone", **KEYS)
    assert columns(a.table) == ["email", "phone", "veilset_key", "b.phone"]
    by_number = [row for row in rows(a.table) if row["veilset_key"] == "2"]
    assert by_number, "some match by the second key"
    assert all(row["phone"] == row["b.phone"] for row in by_number)
    conforms("run", a.report)


def test_values_that_are_nobodys_never_match() -> None:
    frame = polars.DataFrame({"k": ["a@x.org", "Office@x.org", "test@test.com"]})
    options: Any = {"on": "k", "preset": "email", "threads": 1}
    a, _ = veilset.run_local("intersect", frame, frame, stop_values=["office@x.org"], **options)
    assert a.table["k"].to_list() == ["a@x.org"]
    assert a.report["placeholders"] == 2
    a, _ = veilset.run_local("intersect", frame, frame, keep_placeholders=True, **options)
    assert a.count == 3


def test_several_keys_are_refused_where_there_is_one() -> None:
    frame = pandas.DataFrame(ONE)
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ("align", {}, "align takes one on="),
        ("count", {"match": "tiers"}, "leave out match=, or give grouped"),
        ("intersect", {"match": "one-sided"}, "learn"),
        ("intersect", {"preset": ["email"]}, "2 keys have 1 presets"),
    ]
    for operation, more, words in cases:
        with pytest.raises(veilset.InputError, match=words):
            veilset.run_local(operation, frame, frame, **{**KEYS, **more})
    with pytest.raises(veilset.InputError, match="there is one"):
        veilset.run_local("intersect", frame, frame, on="email", match="tiers")
    with pytest.raises(TypeError, match="match"):
        veilset.run_local("align", frame, frame, on="email", match="tiers")
