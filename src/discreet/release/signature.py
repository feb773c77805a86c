# SPDX-License-Identifier: Apache-2.0
"""Ed25519 signatures of certificates: the holder of the key vouches for the release.

The certificate names the hash of every published file, so its signature covers them all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, shown
from discreet.foundation import system
from discreet.foundation.plain_files import MOST_SIGNATURE, read_plain

if TYPE_CHECKING:  # else loaded with the first key: most releases are not signed
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNATURE = "certificate.sig"
PRIVATE, PUBLIC = "discreet-private.pem", "discreet-public.pem"


def new_key(folder: Path) -> tuple[Path, Path]:
    """Write a fresh key pair: the private key (mode 0600, keep it) and the public key (hand it out)."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    folder = Path(folder)
    private_path, public_path = folder / PRIVATE, folder / PUBLIC
    for path in (private_path, public_path):
        if path.exists():
            raise DataError(f"{path.name!r} exists already; a key is never overwritten. Choose another folder.")
    key = Ed25519PrivateKey.generate()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = system.open_file(private_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as file:
            pkcs8, unencrypted = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            file.write(key.private_bytes(serialization.Encoding.PEM, pkcs8, unencrypted))
        info = serialization.PublicFormat.SubjectPublicKeyInfo
        public_path.write_bytes(key.public_key().public_bytes(serialization.Encoding.PEM, info))
    except OSError as error:
        raise DataError(
            f"The keys cannot be written there ({error.strerror}). Choose a folder you may write."
        ) from None
    return private_path, public_path


def sign(message: bytes, private_key: Path) -> bytes:
    """The signature file for a certificate's bytes."""
    key = _private_key(private_key)
    return _signature_file(key.public_key().public_bytes_raw(), key.sign(message))


def public_key_of(private_key: Path) -> str:
    """The public key, in hex, of a private one: who a signature with it is by."""
    return _private_key(private_key).public_key().public_bytes_raw().hex()


def _private_key(private_key: Path) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(read_plain(private_key, most=MOST_SIGNATURE, links=True), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise DataError(
            f"{Path(private_key).name!r} is not a readable private key ({type(error).__name__})."
            f" Make one with `discreet key new`."
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise DataError(f"{Path(private_key).name!r} is not an Ed25519 key. Make one with `discreet key new`.")
    return key


def _signature_file(public: bytes, signature: bytes) -> bytes:
    record = {"algorithm": "Ed25519", "public_key": public.hex(), "signature": signature.hex()}
    return (json.dumps(record, indent=2) + "\n").encode()


def check_signature(message: bytes, signature: bytes) -> str:
    """The signer's public key in hex; DataError unless the signature fits the message.

    Whose key that is must be checked separately: compare it with `public_key_in`.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        record = json.loads(signature)
        signer, signed = (bytes.fromhex(record[name]) for name in ("public_key", "signature"))
        if _signature_file(signer, signed) != signature:  # such as another algorithm, an extra key, an extra space
            raise ValueError
        Ed25519PublicKey.from_public_bytes(signer).verify(signed, message)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"{SIGNATURE} is not a signature file.") from None
    except InvalidSignature:
        raise DataError(f"{SIGNATURE} does not fit the certificate: one of them was changed.") from None
    return signer.hex()


def public_key_in(path: Path) -> str:
    """The public key in a file, in hex: the fingerprint to compare."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_plain(path, most=MOST_SIGNATURE, links=True))
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError
    except (OSError, ValueError, UnsupportedAlgorithm):
        raise DataError(f"{shown(Path(path).name)} is not a readable Ed25519 public key.") from None
    return key.public_bytes_raw().hex()
