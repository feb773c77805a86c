# SPDX-License-Identifier: Apache-2.0
"""The commands, one file each: they read options, call the library, print. Heavy imports wait until one runs."""
