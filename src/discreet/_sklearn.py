# SPDX-License-Identifier: Apache-2.0
"""Every touch of scikit-learn's private names, in one place."""

from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    StrOptions,
    validate_parameter_constraints,
)

from discreet.errors import ParameterError

__all__ = ["Interval", "StrOptions", "check_parameters"]


def check_parameters(obj: object, constraints: dict) -> None:
    """Raise ParameterError in scikit-learn's words unless every parameter is in its range."""
    parameters = {name: getattr(obj, name) for name in constraints}
    try:
        validate_parameter_constraints(constraints, parameters, caller_name=type(obj).__name__)
    except InvalidParameterError as error:
        raise ParameterError(str(error)) from None
