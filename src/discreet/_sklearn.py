# SPDX-License-Identifier: Apache-2.0
"""Moved to `parameters`."""

from discreet.parameters import Interval, StrOptions, check_parameters

__all__ = ["Interval", "StrOptions", "check_parameters"]
