#!/usr/bin/env python3
"""Reads keychain files by the format's description alone: BLAKE2b from the standard library, Argon2id,
XChaCha20 and Poly1305 written out here, no libsodium.

  read_keychain.py FILE passphrase|keyfile HEX     prints {"expect": ..., "entries": {hex: hex}}
  read_keychain.py --vectors FOLDER                exits with 1 where a vector says something else
"""

import hashlib
import hmac
import json
import os
import struct
import sys

MASK64 = (1 << 64) - 1
MASK32 = (1 << 32) - 1


class Refused(Exception):
    pass


def hash32(data, key=b""):
    return hashlib.blake2b(data, digest_size=32, key=key).digest()


def derive(key, index, context):
    return hashlib.blake2b(
        b"", digest_size=32, key=key, salt=struct.pack("<Q", index) + bytes(8),
        person=context + bytes(8)).digest()


# Argon2id, version 1.3, one lane.


def long_hash(size, data):
    data = struct.pack("<I", size) + data
    if size <= 64:
        return hashlib.blake2b(data, digest_size=size).digest()
    value = hashlib.blake2b(data).digest()
    output = value[:32]
    while size - len(output) > 64:
        value = hashlib.blake2b(value).digest()
        output += value[:32]
    return output + hashlib.blake2b(value, digest_size=size - len(output)).digest()


def mix(v, a, b, c, d):
    x, y, z, w = v[a], v[b], v[c], v[d]
    for first, second in ((32, 24), (16, 63)):
        x = (x + y + 2 * (x & MASK32) * (y & MASK32)) & MASK64
        w ^= x
        w = (w >> first | w << (64 - first)) & MASK64
        z = (z + w + 2 * (z & MASK32) * (w & MASK32)) & MASK64
        y ^= z
        y = (y >> second | y << (64 - second)) & MASK64
    v[a], v[b], v[c], v[d] = x, y, z, w


def permute(v, i):
    for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                       (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
        mix(v, i[a], i[b], i[c], i[d])


ROWS = [[16 * row + word for word in range(16)] for row in range(8)]
COLUMNS = [[2 * column + 16 * (word // 2) + word % 2 for word in range(16)] for column in range(8)]


def compress(left, right):
    start = [a ^ b for a, b in zip(left, right)]
    v = list(start)
    for indexes in ROWS + COLUMNS:
        permute(v, indexes)
    return [a ^ b for a, b in zip(v, start)]


def argon2id(password, salt, passes, kibibytes):
    first = hashlib.blake2b(
        struct.pack("<6I", 1, 32, kibibytes, passes, 0x13, 2)
        + struct.pack("<I", len(password)) + password
        + struct.pack("<I", len(salt)) + salt + bytes(8)).digest()
    count = kibibytes // 4 * 4
    segment = count // 4
    blocks = [None] * count
    for index in (0, 1):
        data = long_hash(1024, first + struct.pack("<II", index, 0))
        blocks[index] = list(struct.unpack("<128Q", data))
    zero = [0] * 128
    for turn in range(passes):
        for slice_ in range(4):
            independent = turn == 0 and slice_ < 2
            addresses = []
            if independent:
                for counter in range(1, (segment + 127) // 128 + 1):
                    z = [turn, 0, slice_, count, passes, 2, counter] + [0] * 121
                    addresses += compress(zero, compress(zero, z))
            for place in range(segment):
                here = slice_ * segment + place
                if turn == 0 and here < 2:
                    continue
                before = blocks[(here - 1) % count]
                pseudo = addresses[place] if independent else before[0]
                area = here - 1 if turn == 0 else count - segment + place - 1
                x = (pseudo & MASK32) ** 2 >> 32
                offset = area - 1 - (area * x >> 32)
                start = 0 if turn == 0 or slice_ == 3 else (slice_ + 1) * segment
                block = compress(before, blocks[(start + offset) % count])
                if turn > 0:
                    block = [a ^ b for a, b in zip(block, blocks[here])]
                blocks[here] = block
    return long_hash(32, struct.pack("<128Q", *blocks[count - 1]))


# XChaCha20-Poly1305.


def rotate(x, n):
    return (x << n | x >> (32 - n)) & MASK32


def rounds(s):
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                           (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            for first, second in ((16, 12), (8, 7)):
                s[a] = s[a] + s[b] & MASK32
                s[d] = rotate(s[d] ^ s[a], first)
                s[c] = s[c] + s[d] & MASK32
                s[b] = rotate(s[b] ^ s[c], second)
    return s


CONSTANTS = list(struct.unpack("<4I", b"expand 32-byte k"))


def stream(key, nonce, size):
    state = CONSTANTS + list(struct.unpack("<8I", key) + struct.unpack("<4I", nonce[:16]))
    state = rounds(state)
    subkey = list(state[:4] + state[12:])
    tail = list(struct.unpack("<2I", nonce[16:]))
    output = b""
    counter = 0
    while len(output) < size:
        initial = CONSTANTS + subkey + [counter, 0] + tail
        final = rounds(list(initial))
        output += struct.pack("<16I", *((a + b & MASK32) for a, b in zip(initial, final)))
        counter += 1
    return output[:size]


def poly1305(key, data):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for start in range(0, len(data), 16):
        total = (total + int.from_bytes(data[start:start + 16] + b"\1", "little")) * r
        total %= (1 << 130) - 5
    total += int.from_bytes(key[16:], "little")
    return (total & ((1 << 128) - 1)).to_bytes(16, "little")


def padded(data):
    return data + bytes(-len(data) % 16)


def open_box(key, nonce, additional, box):
    """The plaintext, or None."""
    cipher, tag = box[:-16], box[-16:]
    keys = stream(key, nonce, 64 + len(cipher))
    lengths = struct.pack("<QQ", len(additional), len(cipher))
    expected = poly1305(keys[:32], padded(additional) + padded(cipher) + lengths)
    if not hmac.compare_digest(tag, expected):
        return None
    return bytes(a ^ b for a, b in zip(cipher, keys[64:]))


# The file.


def check(condition, name):
    if not condition:
        raise Refused(name)


def header(file):
    check(len(file) <= 16777216, "tooLarge")
    check(b"SBKC".startswith(file[:4]), "notAKeychain")
    check(len(file) >= 42 and hash32(file[:-32]) == file[-32:], "damaged")
    check(file[:8] == b"SBKC\r\n\x1a\n", "notAKeychain")
    version, = struct.unpack_from("<H", file, 8)
    check(version == 1, "unsupportedVersion")
    check(len(file) >= 4384, "malformed(header)")
    flags, count, size = struct.unpack_from("<3H", file, 10)
    check(flags == 0, "unsupportedFlags")
    generation, length = struct.unpack_from("<QQ", file, 32)
    check(1 <= count <= 8 and size == 136 and 1 <= generation < 1 << 63, "malformed(header)")
    check(length >= 4112 and (length - 16) % 4096 == 0, "malformed(header)")
    end = 72 + 136 * count
    check(len(file) == end + 32 + length + 32, "malformed(header)")
    slots = [file[72 + 136 * i:72 + 136 * (i + 1)] for i in range(count)]
    work = 0
    for slot in slots:
        kind, algorithm, reserved, ops, memory = struct.unpack_from("<BBHIQ", slot)
        if kind == 2:
            check(reserved == 0 and algorithm == 0 and ops == 0 and memory == 0, "malformed(slot)")
        if kind == 1:
            check(reserved == 0, "malformed(slot)")
            check(algorithm == 2 and 1 <= ops <= 16 and 8192 <= memory <= 1073741824
                  and memory % 1024 == 0, "kdfParametersRefused")
            work += ops * memory
    check(work <= 1 << 34, "kdfParametersRefused")
    return slots, end


def read(file, unlock, secret):
    slots, end = header(file)
    wanted = 1 if unlock == "passphrase" else 2
    fitting = [slot for slot in slots if slot[0] == wanted]
    check(fitting, "noMatchingSlot")
    for slot in fitting:
        ops, memory = struct.unpack_from("<IQ", slot, 4)
        salt = slot[16:32]
        if wanted == 1:
            root = argon2id(secret, salt, ops, memory // 1024)
        else:
            root = hash32(b"SBKC-keyfile-v1" + salt, secret)
        if hmac.compare_digest(derive(root, 2, b"SBKCslot"), slot[56:88]):
            break
    else:
        raise Refused("wrongSecret")
    data_key = open_box(
        derive(root, 1, b"SBKCslot"), slot[32:56], b"SBKC-slot-v1" + file[16:32] + slot[:32],
        slot[88:])
    check(data_key is not None, "tampered(slot)")
    mac = hash32(file[:end], derive(data_key, 1, b"SBKC_v1_"))
    check(hmac.compare_digest(mac, file[end:end + 32]), "tampered(header)")
    plain = open_box(
        derive(data_key, 2, b"SBKC_v1_"), file[48:72], file[:end + 32], file[end + 32:-32])
    check(plain is not None, "tampered(payload)")
    return entries(plain)


def entries(plain):
    stripped = plain.rstrip(b"\0")
    bad = "malformed(payload)"
    check(stripped.endswith(b"\x80") and len(plain) - len(stripped) + 1 <= 4096, bad)
    plain = stripped[:-1]
    found = {}
    last = None
    try:
        count, = struct.unpack_from("<I", plain)
        place = 4
        for _ in range(count):
            size, = struct.unpack_from("<H", plain, place)
            key = plain[place + 2:place + 2 + size]
            check(1 <= size <= 1024 and len(key) == size, bad)
            key.decode("utf-8")
            place += 2 + size
            size, = struct.unpack_from("<I", plain, place)
            value = plain[place + 4:place + 4 + size]
            check(size <= 1048576 and len(value) == size, bad)
            place += 4 + size
            check(last is None or last < key, bad)
            last = key
            found[key.hex()] = value.hex()
    except (struct.error, UnicodeDecodeError):
        raise Refused(bad)
    check(place == len(plain), bad)
    return found


def result(path, unlock, secret):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return {"expect": "success", "entries": read(data, unlock, secret)}
    except Refused as error:
        return {"expect": str(error)}


def vectors(folder):
    wrong = 0
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))
    for name in names:
        path = os.path.join(folder, name)
        with open(path + ".json") as file:
            expected = json.load(file)
        found = result(path + ".sbkc", expected["unlock"], bytes.fromhex(expected["secret"]))
        # A vector names the kind alone.
        agrees = found["expect"].split("(")[0] == expected["expect"].split("(")[0]
        if agrees and expected["expect"] == "success":
            agrees = found["entries"] == expected["entries"]
        if not agrees:
            wrong += 1
            print(name, "expected", expected["expect"], "found", found["expect"])
    print(len(names), "vectors,", wrong, "wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--vectors":
        sys.exit(vectors(sys.argv[2]))
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(json.dumps(result(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])), sort_keys=True))
