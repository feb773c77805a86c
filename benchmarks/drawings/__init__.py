# SPDX-License-Identifier: Apache-2.0
"""The pictures of the pages of promises and methods, each drawn by running what it shows."""
