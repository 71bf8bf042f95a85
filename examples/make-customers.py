#!/usr/bin/env python3
"""Makes the two customer lists of the demo: synthetic people, dirty on purpose, the same on every run.

Usage: make-customers.py FOLDER
"""

import random
import sys
from pathlib import Path

FIRST = """Ada Amir Ana Anna Aisha Ben Carla Chen Chloé Daan David Elena Emeka Emma Eva Farah Felix Grace Hana Hugo
Ines Ivan Jana José Julia Kai Kofi Lara Leo Lina Luca Maja Marta Maya Mei Milan Mina Nadia Nils Noah Nora Olga Omar
Paul Petra Priya Rosa Sami Sara Sofia Tariq Tom Uma Vera Wei Yara Yusuf Zoë""".split()
LAST = """Abdi Adeyemi Andersen Bakker Becker Brown Castro Chavez Cohen Costa Diaz Dubois Eriksen Farouk Fischer Garcia
Gruber Haddad Hansen Horvat Ito Jansen Jensen Kaya Keller Khan Kim Kowalski Kumar Larsen Lee Lopez Martin Meyer Moreau
Müller Nagy Novak Okafor Olsen Ortiz Patel Pereira Petrov Popescu Rossi Sato Schmidt Silva Singh Smith Suzuki Tanaka
Torres Varga Virtanen Wagner Weber Wong Yilmaz""".split()
HOSTS = ["example.com", "example.org", "example.net", "mail.example", "post.example", "inbox.example"]
PLAIN = str.maketrans("éöüë", "eoue")


def people(rng, count):
    """Distinct people: (first name, last name, e-mail)."""
    seen = {}
    while len(seen) < count:
        first, last = rng.choice(FIRST), rng.choice(LAST)
        local = f"{first}.{last}".lower().translate(PLAIN)
        email = f"{local}{rng.randrange(1, 90)}@{rng.choice(HOSTS)}"
        seen.setdefault(email, (first, last, email))
    return list(seen.values())


def soil(rng, email):
    """What people and systems do to an e-mail address."""
    kind = rng.random()
    if kind < 0.10:
        return email.upper()
    if kind < 0.20:
        return email.title()
    if kind < 0.27:
        return f" {email}"
    if kind < 0.32:
        return f"{email} "
    return email


def quote(field):
    return f'"{field}"' if any(c in field for c in ' ",') else field


def write(path, header, rows, end, mark):
    text = mark + "".join(",".join(map(quote, row)) + end for row in [header, *rows])
    path.write_bytes(text.encode())


def main(folder):
    rng = random.Random(20240229)
    everyone = people(rng, 4700)
    both, north_only, south_only = everyone[:1200], everyone[1200:3100], everyone[3100:]

    north = []
    for number, (first, last, email) in enumerate(sorted(both + north_only)):
        north.append([f"{number + 17:06}", soil(rng, email), first, last, str(rng.randrange(0, 4000))])
    north += [[f"9{n:05}", soil(rng, rng.choice(both)[2]), "duplicate", "entry", "0"] for n in range(60)]
    north += [[f"8{n:05}", "", "no", "address", "0"] for n in range(25)]
    north += [[f"7{n:05}", "n/a", "no", "address", "0"] for n in range(5)]
    rng.shuffle(north)

    south = []
    for first, last, email in both + south_only:
        since = f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        south.append([f"{last}, {first}", soil(rng, email), since])
    south += [["nobody", " ", "2020-01-01"] for _ in range(12)]
    rng.shuffle(south)

    write(folder / "north.csv", ["id", "email", "first", "last", "spent"], north, "\n", "")
    write(folder / "south.csv", ["customer", "E-Mail", "since"], south, "\r\n", "\ufeff")


main(Path(sys.argv[1]))
