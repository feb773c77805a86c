# SPDX-License-Identifier: Apache-2.0
"""Disclosure risk as statistics offices measure it: uniqueness in the population, risk of each row, special uniques,
presence, and the identifiers of HIPAA's safe harbour. `risk_of` measures all of it."""

from discreet.risk.assessment import RiskAssessment as RiskAssessment
from discreet.risk.assessment import risk_of as risk_of
from discreet.risk.individual_risk import mean_inverse as mean_inverse
from discreet.risk.inspection import Inspection as Inspection
from discreet.risk.inspection import inspect_table as inspect_table
from discreet.risk.population_uniqueness import estimate_uniqueness as estimate_uniqueness
from discreet.risk.presence import delta_presence as delta_presence
from discreet.risk.safe_harbour import check_safe_harbour as check_safe_harbour
from discreet.risk.sampled_groups import SampledGroups as SampledGroups
