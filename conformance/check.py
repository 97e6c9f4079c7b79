"""Checks the vectors of signatures, timestamps and units with Python's standard library alone.

    python3 conformance/check.py

It shows that an implementation in another language needs none of settlekit's code.
"""

import datetime
import hashlib
import hmac
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent


def is_valid(secret, timestamp, body, signature):
    """Whether the secret made the signature of timestamp, dot and body."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", signature):
        return False
    message = f"{timestamp}.{body}".encode()
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature.lower())


ISO = r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)"


def milliseconds_of(text):
    """A timestamp header as milliseconds since 1970; None if it is refused."""
    if re.fullmatch(r"[0-9]{12,14}", text):
        return int(text)
    seconds = re.fullmatch(r"([0-9]{1,11})(?:\.([0-9]{1,9}))?", text)
    if seconds:
        whole, fraction = seconds.groups(default="")
        return int(whole) * 1000 + int((fraction + "000")[:3])
    if not re.fullmatch(ISO, text, re.ASCII):
        return None
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (moment - epoch) // datetime.timedelta(milliseconds=1)


def units_of(amount, decimals):
    """An amount in smallest units; None if it is refused."""
    parts = re.fullmatch(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?", amount)
    if not parts:
        return None
    whole, fraction = parts.groups(default="")
    if fraction[decimals:].strip("0"):
        return None
    units = int(whole + fraction[:decimals].ljust(decimals, "0"))
    return str(units) if units < 2**256 else None


def canonical(units, decimals):
    """The shortest amount for the units."""
    digits = units.rjust(decimals + 1, "0")
    whole, fraction = digits[: len(digits) - decimals], digits[len(digits) - decimals :]
    return f"{whole}.{fraction.rstrip('0')}".rstrip(".")


def check_signature(vector):
    parts = [vector[name] for name in ("secret", "timestamp", "body", "signature")]
    return is_valid(*parts) == vector["valid"]


def check_timestamp(vector):
    return milliseconds_of(vector["text"]) == vector["milliseconds"]


def check_units(vector):
    units, decimals = vector["units"], vector["decimals"]
    if units_of(vector["amount"], decimals) != units:
        return False
    return units is None or canonical(units, decimals) == vector["canonical"]


CHECKS = {
    "signatures.json": check_signature,
    "timestamps.json": check_timestamp,
    "units.json": check_units,
}


def main():
    failed = 0
    for file, check in CHECKS.items():
        vectors = json.loads((FOLDER / file).read_text(encoding="utf-8"))["vectors"]
        wrong = [vector for vector in vectors if not check(vector)]
        for vector in wrong:
            print(f"{file}: {json.dumps(vector)}")
        failed += len(wrong)
        print(f"{file}: {len(vectors) - len(wrong)} of {len(vectors)} agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
