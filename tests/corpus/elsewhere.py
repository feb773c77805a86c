# SPDX-License-Identifier: Apache-2.0
"""Files of East Asia, of other encodings and other programs: what they hold is read, or the right question is asked."""

from corpus.case import Case, Expected, column

NUMBERS = {
    "wide-digits": (["１２３", "４５"], [123, 45], "signs of full width"),
    "wide-percent": (["12％", "7％"], [12, 7], "2 cells with a percent sign"),
    "yen-behind": (["12,345.5円", "56円"], [12345.5, 56], "2 with the currency 円"),
    "yen-wide": (["￥120", "￥7"], [120, 7], "2 cells with the currency ¥"),
    "no-cents-comma": (["1.234,-", "12,-"], [1234, 12], "a mark for no cents"),
    "no-cents-point": (["1'234.-", "12.50"], [1234, 12.5], "1 with signs of full width, or a mark for no cents"),
    "no-cents-dash": (["12,\u2014", "7,50"], [12, 7.5], "a mark for no cents"),
    "rupees": (["1,23,456/-", "7,000/-"], [123456, 7000], "2 with signs of full width, or a mark for no cents"),
    "dash-for-minus": (["\u20135", "3"], [-5, 3], "1 cell with a dash for minus"),
    "minus-before-currency": (["1.234,50- €", "12,00 €"], [-1234.5, 12], "1 with a minus after the digits"),
    "errors-of-spreadsheets": (["1", "#DIV/0!", "#NV", "3"], [1, None, None, 3], ""),
    "nothing-of-databases": (["1", "\\N", "3"], [1, None, 3], ""),
    "eight-digits": (["20240325", "19991231"], [20240325, 19991231], "2 cells of eight digits that may be days"),
}

DATES = {
    "kanji": (["2024年3月25日", "2023年1月1日"], ["2024-03-25", "2023-01-01"], "one way only"),
    "kanji-wide": (["２０２４年３月２５日", "2023年1月1日"], ["2024-03-25", "2023-01-01"], "one way only"),
    "eras": (
        ["令和6年3月25日", "令和元年5月1日", "昭和64年1月7日"],
        ["2024-03-25", "2019-05-01", "1989-01-07"],
        "one way",
    ),
    "korean": (["2024년 3월 25일", "2024. 3. 26."], ["2024-03-25", "2024-03-26"], "one way only"),
    "russian-name": (["25 марта 2024 г.", "1 мая 2023"], ["2024-03-25", "2023-05-01"], "one way only"),
    "polish-name": (["25 października 2024", "1 maja 2023 r."], ["2024-10-25", "2023-05-01"], "one way only"),
    "czech-name": (["25. října 2024", "1. května 2023"], ["2024-10-25", "2023-05-01"], "one way only"),
    "hungarian-name": (["2024. március 25.", "2023. május 1."], ["2024-03-25", "2023-05-01"], "one way only"),
    "finnish-name": (["25. maaliskuuta 2024", "1. toukokuuta 2023"], ["2024-03-25", "2023-05-01"], "one way only"),
    "french-clock": (["25/03/2024 14h30", "26/03/2024 à 7:05"], ["2024-03-25 14:30:00", "2024-03-26 07:05:00"], "day"),
    "clock-within": (["Mon Mar 25 14:30:00 2024"], ["2024-03-25 14:30:00"], "one way only"),
    "compact": (["20240325T143000", "20240326T0705"], ["2024-03-25 14:30:00", "2024-03-26 07:05:00"], "one way only"),
    "zones": (
        ["2024-03-25T14:30:00+01:00", "2024-03-26T07:00:00Z", "2024-03-27 08:00"],
        ["2024-03-25 14:30:00", "2024-03-26 07:00:00", "2024-03-27 08:00:00"],
        "2 cells with a time zone, which is left out",
    ),
    "named-zones": (["25.03.2024 14:30 MEZ", "26.03.2024 07:00 CEST"], None, "2 with a time zone, which is left out"),
}

TOWNS = "town;n\nŁódź;1\nŻory;2\nkoło;3\n"
JAPANESE = "年齢,性別,市\n31,女,東京\n44,男,大阪\n"
ASKS = "cannot be told: it is not UTF-8"


def families_of_elsewhere() -> list[Case]:
    cases = []
    for name, (cells, values, said) in NUMBERS.items():
        cases.append(column(f"number-{name}", cells, Expected({"x": "number"}, {"x": values}, [said] if said else [])))
    for name, (cells, days, said) in DATES.items():
        cases.append(column(f"date-{name}", cells, Expected({"x": "date"}, {"x": days} if days else {}, [said])))
    return [*cases, *_encodings(), *_layouts()]


def _encodings() -> list[Case]:
    read = Expected({"年齢": "number"}, {"市": ["東京", "大阪"]}, ["The file is encoded in cp932."])
    kana = "名前,市\nさくら,京都\nたろう,奈良\n"
    western = "name;note\nÄrzte;Don\u2019t\nÄrger;it\u2019s 5 €\nÄpfel;\u201eja\u201c\nÄmter;caf\u00e9\n"
    made = {
        "shift-jis": (JAPANESE.encode("cp932"), read),
        "shift-jis-given": (
            JAPANESE.encode("cp932"),
            Expected({}, {"市": ["東京", "大阪"]}, options={"encoding": "cp932"}),
        ),
        "euc-jp-kana": (kana.encode("euc_jp"), Expected({}, {"名前": ["さくら", "たろう"]}, ["encoded in euc_jp"])),
        "euc-jp-or-chinese": (JAPANESE.encode("euc_jp"), Expected(asks=[ASKS, "encoding='euc_jp'", "gb18030"])),
        "gbk": (
            "年龄,性别,市\n31,女,北京\n44,男,上海\n".encode("gbk"),
            Expected({}, {"市": ["北京", "上海"]}, ["gb18030"]),
        ),
        "russian-windows": ("пол;n\nженщина;1\nмужчина;2\n".encode("cp1251"), Expected(asks=[ASKS, "cp1251"])),
        "polish-windows": (TOWNS.encode("cp1250"), Expected(asks=[ASKS, "encoding='cp1250'"])),
        "polish-windows-given": (
            TOWNS.encode("cp1250"),
            Expected({}, {"town": ["Łódź", "Żory", "koło"]}, options={"encoding": "cp1250"}),
        ),
        "macintosh": ("town;n\nKöln;1\nZürich;2\n".encode("mac_roman"), Expected(asks=[ASKS, "mac_roman"])),
        "dos": ("town;n\nKöln;1\nZürich;2\n".encode("cp850"), Expected(asks=[ASKS, "cp850"])),
        "euro-of-latin-9": (
            "price;town\n7 €;Köln\n9 €;Ulm\n".encode("iso8859-15"),
            Expected({"price": "number"}, {"price": [7, 9]}, ["The file is encoded in iso8859-15."]),
        ),
        "western-with-curly-quotes": (
            western.encode("cp1252"),
            Expected({}, {"name": ["Ärzte", "Ärger", "Äpfel", "Ämter"]}),
        ),
        "two-encodings": (
            "town;n\nKöln;1\n".encode() + "Zürich;2\n".encode("cp1252"),
            Expected({}, {"town": ["Köln", "Zürich"]}, ["The file is encoded in utf-8 or cp1252."]),
        ),
        "mark-of-order-alone": (b"\xef\xbb\xbf", Expected(asks=["is empty"])),
    }
    return [Case(f"encoding-{name}.csv", content, expected) for name, (content, expected) in made.items()]


def _layouts() -> list[Case]:
    people = Expected({"age": "number"}, {"age": [31, 44], "sex": ["f", "m"]})
    above = Expected({}, people.values, ["1 line above the names left out."])
    names = Expected(
        {}, {"row_names": [0, 1], "age": [31, 44]}, ["The first column has no name; it is called row_names."]
    )
    from_r = Expected({}, {"row_names": [1, 2], "age": [31, 44]}, ["it is called row_names"])
    made = {
        "carets": ("age^sex\n31^f\n44^m\n", people),
        "tildes": ("age~sex\n31~f\n44~m\n", people),
        "control-signs": ("age\x01sex\n31\x01f\n44\x01m\n", people),
        "spaces": ("age sex\n31 f\n44 m\n", people),
        "runs-of-spaces": ("age   sex\n31    f\n44    m\n", Expected(sentences=["cells between runs of spaces"])),
        "title-without-empty-line": ("Patients of 2024\nage;sex\n31;f\n44;m\n", above),
        "title-with-delimiters-only": ("Patients;;\nage;sex;n\n31;f;1\n44;m;2\n", above),
        "groups-of-names": ("Person,,Money,\nage,sex,income,debt\n31,f,1,5\n44,m,2,6\n", above),
        "groups-of-names-repeated": ("Person;Person;Money\nage;sex;income\n31;f;1\n44;m;2\n", above),
        "comment-of-slashes": ("// made by me, today\nage,sex\n31,f\n44,m\n", above),
        "comment-of-percent": ("% made by a program\nage,sex\n31,f\n44,m\n", above),
        "comment-below": (
            "age,sex\n31,f\n44,m\n# end\n",
            Expected({}, people.values, ["1 line that is no row left out."]),
        ),
        "end-of-file-of-dos": ("age,sex\n31,f\n44,m\n\x1a", people),
        "name-of-two-lines": ('"age in\nyears",sex\n31,f\n44,m\n', Expected({}, {"age in\nyears": [31, 44]})),
        "remarks-with-commas": ("remark\nlate, again\nearly, once\n", Expected(asks=["is ragged"])),
        "index-of-pandas": (",age,sex\n0,31,f\n1,44,m\n", names),
        "names-of-rows-of-r": ('"age","sex"\n"1",31,"f"\n"2",44,"m"\n', from_r),
        "no-names-but-numbers": ("31,f,yes\n44,m,no\n29,f,no\n", Expected(asks=["looks like data"])),
        "counted-columns": ("0,1,2\n31,44,7\n29,18,8\n", Expected({}, {"0": [31, 29]})),
        "script-of-sql": (
            "-- a dump\nINSERT INTO t (a) VALUES (1);\n",
            Expected(asks=["a script of SQL, not a table"]),
        ),
        "weka": ("% a title\n@relation x\n@attribute a numeric\n@data\n1\n", Expected(asks=["Weka (ARFF)"])),
    }
    return [Case(f"layout-{name}.csv", content.encode(), expected) for name, (content, expected) in made.items()]
