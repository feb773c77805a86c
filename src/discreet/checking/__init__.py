# SPDX-License-Identifier: Apache-2.0
"""What a certificate states, compared with the promise, with itself and with the published files. Loads no method."""
