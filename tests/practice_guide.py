# SPDX-License-Identifier: Apache-2.0
"""The ten persons of T. Benschop, C. Machingauta and M. Welch, "Statistical disclosure control: a practice guide"
(Tables 4.1, 4.3 and 4.5), which sdcMicro's tests use, too.
"""

LESS, MORE, NONE = "Secondary incomplete", "Secondary complete", "Non-LF"
GUIDELINE = {
    "Residence": ["Urban"] * 4 + ["Rural"] + ["Urban"] * 5,
    "Gender": ["Female", "Female", "Female", "Male", "Female", "Male", "Female", "Male", "Female", "Female"],
    "Education": [LESS, LESS, "Primary incomplete", MORE, MORE, MORE, "Primary complete", "Post-secondary", LESS, LESS],
    "Labor": ["Employed", "Employed", NONE, "Employed", "Unemployed", "Employed", NONE, "Unemployed", NONE, NONE],
}
HEALTH = ["yes"] * 5 + ["no"] * 2 + ["yes", "no", "yes"]
