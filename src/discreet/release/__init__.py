# SPDX-License-Identifier: Apache-2.0
"""What goes out, and whether it holds: release, certificate, signature, verification, ledger."""
