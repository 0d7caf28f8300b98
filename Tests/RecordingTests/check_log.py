"""Recomputes every sum of an action log, and the digests of its states. Usage: check_log.py FILE…; 0 right, 1 wrong.
Several files are those of one rotated recording, oldest first: NAME.1 NAME.2 … NAME."""
import json, sys

M = (1 << 64) - 1
SENDERS = {"user", "effect", "link", "program"}
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)

def rotate(x, r): return ((x << r) | (x >> (64 - r))) & M
def rnd(acc, word): return rotate((acc + word * P2) & M, 31) * P1 & M
def word(b, i, n): return int.from_bytes(b[i:i + n], "little")

def xxh64(b):
    i, n = 0, len(b)
    if n >= 32:
        v = [(P1 + P2) & M, P2, 0, -P1 & M]
        while i + 32 <= n:
            v = [rnd(a, word(b, i + 8 * k, 8)) for k, a in enumerate(v)]
            i += 32
        h = sum(rotate(a, r) for a, r in zip(v, (1, 7, 12, 18))) & M
        for a in v: h = ((h ^ rnd(0, a)) * P1 + P4) & M
    else:
        h = P5
    h = (h + n) & M
    while i + 8 <= n:
        h, i = (rotate(h ^ rnd(0, word(b, i, 8)), 27) * P1 + P4) & M, i + 8
    if i + 4 <= n:
        h, i = (rotate(h ^ (word(b, i, 4) * P1 & M), 23) * P2 + P3) & M, i + 4
    while i < n:
        h, i = rotate(h ^ (b[i] * P5 & M), 11) * P1 & M, i + 1
    for shift, prime in ((33, P2), (29, P3)): h = (h ^ (h >> shift)) * prime & M
    return "xxh64:%016x" % (h ^ (h >> 32))

def state_bytes(line):
    """The state as it stands in the line: from behind its key to where a JSON value ends."""
    text = line.decode()
    start = text.index('"state":') + len('"state":')
    return text[start:json.JSONDecoder().raw_decode(text, start)[1]].encode()

def ids_fit(effects):
    """Whether effects with several ids have them in the right form, in groups too."""
    return all(("ids" not in e or (len(e["ids"]) > 1 and e["ids"][0] == e.get("id"))) and ids_fit(e.get("parts", []))
               for e in effects)

total, before = 0, None  # steps, and how the file before ended: last sum and digest
for path in sys.argv[1:]:
    previous, step, digest = "", 0, None
    for number, line in enumerate(open(path, "rb").read().splitlines(keepends=True), 1):
        def wrong(what): sys.exit("%s, line %d: %s" % (path, number, what))
        if not line.endswith(b"\n"): break
        value = json.loads(line)
        if list(value)[0] != "k" or list(value)[-1] != "sum": wrong("k is not first or sum not last")
        if xxh64(previous.encode() + line[:line.rindex(b',"sum"')]) != value["sum"]: wrong("sum")
        if "state" in value and xxh64(state_bytes(line)) != value["digest"]: wrong("digest of the state")
        if value["k"] in ("state", "end") and value["digest"] != (digest or value["digest"]): wrong("digest of the step")
        if value["k"] == "step" and value["n"] != step + 1: wrong("number")
        if value["k"] == "log" and str(int(value["seed"])) != value["seed"]: wrong("seed")
        if value["k"] == "step" and [] in (value.get("draws"), value.get("effects")): wrong("no draws or effects, yet there")
        if value["k"] == "step" and len(SENDERS & set(value["by"])) != 1: wrong("not one sender")
        if not ids_fit(value.get("effects", [])): wrong("ids of an effect")
        if value["k"] == "step": step, digest = value["n"], value.get("digest")
        if number == 1: digest, link = value["digest"], value.get("rotated", {})
        if number == 1 and before and ((link.get("sum"), value["digest"]) != before or link["steps"] != total):
            wrong("it does not go on where the file before it ends")
        if number == 1: total = link.get("steps", 0)
        previous = value["sum"]
    if not previous: sys.exit("no header")
    total, before = total + step, (previous, digest)
if before is None: sys.exit(__doc__)
