# SPDX-License-Identifier: Apache-2.0
import stat

import pytest

from discreet import DataError
from discreet.release.signature import check_signature, new_key, public_key_in, sign


def test_a_signature_is_right_for_its_message_only(tmp_path):
    private, public = new_key(tmp_path)
    signature = sign(b"statement", private)
    assert check_signature(b"statement", signature) == public_key_in(public)
    assert len(public_key_in(public)) == 64
    with pytest.raises(DataError, match="does not fit the certificate"):
        check_signature(b"other statement", signature)


def test_the_private_key_is_the_owner_s_alone(tmp_path):
    private, _ = new_key(tmp_path / "keys")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_key_is_never_overwritten(tmp_path):
    private, _ = new_key(tmp_path)
    before = private.read_bytes()
    with pytest.raises(DataError, match="never overwritten"):
        new_key(tmp_path)
    assert private.read_bytes() == before


def test_what_is_not_a_key(tmp_path):
    private, public = new_key(tmp_path / "keys")
    with pytest.raises(DataError, match="not a readable private key"):
        sign(b"", public)
    with pytest.raises(DataError, match="not a readable private key"):
        sign(b"", tmp_path / "absent")
    with pytest.raises(DataError, match="not a readable Ed25519 public key"):
        public_key_in(private)
    signed = sign(b"x", private)
    further, spaced = signed.replace(b"{", b'{"rows": 1,', 1), signed + b"\n"
    for content in (b"", b"[]", b'{"algorithm": "RSA", "public_key": "00", "signature": "00"}', further, spaced):
        with pytest.raises(DataError, match="is not a signature file"):
            check_signature(b"x", content)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written there"):
        new_key(tmp_path / "file" / "keys")
