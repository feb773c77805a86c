# SPDX-License-Identifier: Apache-2.0
"""The papers' data sets: their figures, the oddities of their files, and what is said when something is not there."""

import gzip
import io
import tarfile

import numpy as np
import pytest

from discreet import samples
from discreet.data.baskets import Baskets
from discreet.errors import DataError
from discreet.samples import catalog, catalog_baskets, catalog_tables


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder to put files in."""
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    return tmp_path


def write(folder, relative, text):
    path = folder / relative
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))


# -- the real files ---------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(catalog.CATALOG))
def test_every_data_set_has_its_figures_and_fitting_roles(name):
    entry, sample = catalog.CATALOG[name], catalog.load(name)
    assert sample.name == name
    assert sample.shape == (entry.rows, entry.columns)
    assert sum(catalog.class_counts(sample).values()) in (0, entry.rows)
    assert sample.description
    assert sample.source
    assert sample.licence
    if isinstance(sample.data, Baskets):
        assert sample.roles is None
        if sample.data.labels is not None:
            sample.data.check_for_release()
    else:
        sample.roles.check_for_release(sample.data)
        assert sample.data.column(sample.roles.target).kind == "category"


@pytest.mark.data
def test_adult_offers_eight_or_fourteen_quasi_identifiers():
    eight, all_of_them = catalog.load("adult"), catalog.load("adult", quasi=14)
    assert len(eight.roles.quasi) == 8
    assert len(all_of_them.roles.quasi) == 14
    assert "education-num" in eight.roles.without_role(eight.data)
    assert not any(column.has_missing for column in eight.data.columns())
    assert sum(column.has_missing for column in catalog.load("adult_train").data.columns()) == 3
    with pytest.raises(DataError, match="'quasi' option of the sample 'adult' must be 8 or 14"):
        catalog.load("adult", quasi=9)


@pytest.mark.data
def test_adult_arx_holds_the_complete_rows_of_adult_train():
    train, arx = catalog.load("adult_train").data, catalog.load("adult_arx").data
    complete = np.ones(len(train), dtype=bool)
    for column in train.columns():
        complete &= column.codes != len(column.values)
    part = train.take(np.flatnonzero(complete))
    for name in arx.names[:-1]:
        assert part.column(name).to_arrow().equals(arx.column(name).to_arrow())


@pytest.mark.data
def test_german_offers_the_nine_quasi_identifiers_of_the_paper():
    sample = catalog.load("german")
    assert len(sample.roles.quasi) == 9
    assert len(sample.roles.other) == 11
    assert catalog.load("german", quasi=20).roles.other == ()
    assert sum(column.kind == "number" for column in sample.data.columns()) == 7


@pytest.mark.data
def test_waveform_number_with_a_tab_inside_is_read():
    first, *_ = catalog.load("waveform21").data.take(np.array([42])).to_arrow().to_pylist()
    assert 0.68 in first.values()


@pytest.mark.data
def test_rows_of_paper_3_are_classes_1_and_2_of_waveform21():
    counts = catalog.class_counts(catalog.load("waveform21"))
    assert counts["1"] + counts["2"] == 3343


@pytest.mark.data
def test_diabetes_counts_patients_not_encounters():
    sample = catalog.load("diabetes130")
    assert sample.roles.person == "patient_nbr"
    assert sample.data.column("patient_nbr").levels == 71518
    assert sample.data.column("encounter_id").levels == 101766
    assert sample.roles.without_role(sample.data) == ()


@pytest.mark.data
def test_ilpd_lacks_four_ratios():
    table = catalog.load("ilpd").data
    column = table.column("Albumin_Globulin_Ratio")
    assert int((column.codes == len(column.values)).sum()) == 4
    assert sum(c.has_missing for c in table.columns()) == 1


@pytest.mark.data
@pytest.mark.parametrize(("name", "total"), [("pu1", 850011), ("basehock", None), ("text_fbis", None)])
def test_counts_have_the_same_places_as_presence(name, total):
    sample = catalog.load(name, counts=True)
    assert catalog.load(name).counts is None
    assert ((sample.counts > 0).astype(np.uint8) != sample.data.matrix).nnz == 0
    assert sample.counts.max() > 1
    if total is not None:
        assert sample.counts.sum() == total


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "mean"), [("retail", 10.31), ("t10i4d100k", 10.10), ("bms1", 2.51), ("mushroom", 22), ("chess", 36)]
)
def test_market_baskets_have_their_known_lengths(name, mean):
    baskets = catalog.load(name).data
    assert baskets.matrix.nnz / len(baskets) == pytest.approx(mean, abs=0.005)


@pytest.mark.data
def test_load_falls_through_to_the_catalog():
    assert samples.load("glass").shape == (214, 11)
    assert samples.load("wdbc").shape == (569, 31)  # built in
    assert samples.catalog.load("wdbc").shape == (569, 32)  # the file, with its id


# -- oddities of the files, in small ----------------------------------------------------------------------------------


def test_adult_test_labels_lose_their_dot_and_rows_with_a_question_mark_go(folder):
    row = "{}, Private, 1, HS-grad, 9, Divorced, {}, Husband, White, Male, 0, 0, 40, Peru, {}\n"
    write(folder, "adult/adult.data.gz", row.format(39, "Sales", "<=50K") + row.format(50, "?", ">50K") + "\n")
    write(folder, "adult/adult.test.gz", row.format(25, "Sales", "<=50K.") + row.format(38, "Sales", ">50K.") + "\n")
    sample = catalog_tables.adult()
    assert catalog.class_counts(sample) == {"<=50K": 2, ">50K": 1}
    assert sample.data.column("age").values.to_pylist() == [25, 38, 39]
    assert catalog_tables.adult_train().data.column("occupation").has_missing


def test_tab_inside_a_waveform_number_goes(folder):
    write(folder, "waveform/waveform.data.gz", ",".join(["0.6\t8", *["1"] * 20, "2"]) + "\n")
    assert catalog_tables.waveform21().data.column("x1").values.to_pylist() == [0.68]


def test_fbis_row_without_class_has_the_first_class(folder):
    text = "@RELATION x\n@DATA\n{3 2,1999 1,2000 142}\n{0 1}\n{}\n"
    write(folder, "text_fbis/fbis.wc.arff.gz", text)
    sample = catalog_baskets.text_fbis(counts=True)
    assert catalog.class_counts(sample) == {"100": 2, "142": 1}
    assert sample.data.items(0) == ("word-3", "word-1999")
    assert sample.counts[0, 3] == 2


def test_arnetminer_is_read_although_it_is_not_xml(folder):
    publication = "<publication>\r\n<title>{}</title>\r\n<label>{}</label>\r\n</publication>\r\n"
    text = publication.format("Bits & Bytes: 2 bits", 0) + publication.format("Bytes", 7)
    write(folder, "arnetminer/data.xml.gz", f"<person>\r\n{text}</person>")
    baskets = catalog_baskets.arnetminer().data
    assert baskets.names == ("bits", "bytes")
    assert baskets.classes.tolist() == ["person 0", "person 7"]
    assert baskets.matrix.toarray().tolist() == [[1, 1], [0, 1]]


def test_pu1_takes_subject_and_body_of_all_folders(folder):
    (folder / "pu1").mkdir()
    with tarfile.open(folder / "pu1" / "pu1_bare_raw.tar.gz", "w:gz") as archive:
        for name, text in (
            ("pu1/part1/1spmsg2.txt", "Subject: 3\n\n1 1 0\n"),
            ("pu1/unused/2legit5.txt", "Subject: \n\n2\n"),
            ("readme.txt", "not a message"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    sample = catalog_baskets.pu1(counts=True)
    assert sample.data.matrix.toarray().tolist() == [[1, 1, 0, 1], [0, 0, 1, 0]]
    assert sample.counts.toarray().tolist() == [[1, 2, 0, 1], [0, 0, 1, 0]]
    assert sample.data.classes[sample.data.labels].tolist() == ["spam", "legit"]
    bodies = catalog_baskets.pu1_bodies().data  # token 3 is in a subject only
    assert (bodies.names, bodies.matrix.toarray().tolist()) == (("0", "1", "2"), [[1, 1, 0], [0, 0, 1]])


def test_class_items_of_mushroom_become_labels(folder):
    write(folder, "fimi/mushroom.dat.gz", "1 3 9 \n2 3 \n2 9 \n")
    baskets = catalog_baskets.mushroom().data
    assert baskets.names == ("3", "9")
    assert baskets.classes[baskets.labels].tolist() == ["poisonous", "edible", "edible"]
    write(folder, "fimi/mushroom.dat.gz", "1 2 3 \n2 3 \n3 \n")
    with pytest.raises(DataError, match="2 rows have both or none"):
        catalog_baskets.mushroom()


# -- what is not there, or not right ----------------------------------------------------------------------------------


def test_unset_variable_is_explained(monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    with pytest.raises(DataError, match="Set the environment variable DISCREET_DATA"):
        catalog.load("glass")


def test_missing_folder_is_explained(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="which is not a folder"):
        catalog.load("glass")


@pytest.mark.parametrize("name", sorted(catalog.CATALOG))
def test_missing_file_is_named(folder, name):
    with pytest.raises(DataError, match=r"There is no file '.+' in the folder that DISCREET_DATA names"):
        catalog.load(name)


def test_wrong_counts_are_told(folder):
    write(folder, "glass/glass.data.gz", "1,1.5,13,4,1,71,0,8,0,0,1\n2,1.5,13,3,1,72,0,7,0,0,7\n")
    with pytest.raises(DataError, match=r"214 rows x 11 columns expected, 2 rows x 11 columns found") as caught:
        catalog.load("glass")
    assert "classes 76, 70, 29, 17, 13, 9 expected, 1, 1 found" in str(caught.value)


def test_wrong_number_of_persons_is_told(folder):
    text = "<publication><title>a b</title><label>1</label></publication>"
    write(folder, "arnetminer/data.xml.gz", text + text.replace("1", "2"))
    with pytest.raises(DataError, match=r"112 classes expected, 2 found; largest classes \(34, .* expected, \(1, 1\)"):
        catalog.load("arnetminer")


def test_ragged_file_is_refused(folder):
    write(folder, "sonar/sonar.all-data.gz", "0.1,0.2,R\n")
    with pytest.raises(DataError, match="should have 61 cells a line; 1 of 1 lines have not"):
        catalog.load("sonar")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("glass", "glass/glass.data.gz"),
        ("adult", "adult/adult.data.gz"),
        ("pu1", "pu1/pu1_bare_raw.tar.gz"),
        ("basehock", "basehock/BASEHOCK.mat"),
        ("retail", "fimi/retail.dat.gz"),
        ("text_fbis", "text_fbis/fbis.wc.arff.gz"),
    ],
)
@pytest.mark.parametrize(
    "content",
    [b"", b"not what it says", gzip.compress(b"x" * 500, mtime=0)[:20], gzip.compress(b"{0 a}", mtime=0)],
    ids=["empty", "not-gzip", "cut-off", "no-header"],
)
def test_damaged_file_is_a_data_error(folder, name, file, content):
    path = folder / file
    path.parent.mkdir()
    path.write_bytes(content)
    if name == "adult":
        (folder / "adult" / "adult.test.gz").write_bytes(content)
    with pytest.raises(DataError):
        catalog.load(name)


def test_unknown_name_and_option_are_explained():
    with pytest.raises(DataError, match=r"no data set 'diabetes' in the catalog\. Did you mean 'diabetes130'\?"):
        catalog.load("diabetes")
    with pytest.raises(DataError, match=r"'pu1' has no option 'count'\. Did you mean 'counts'\?"):
        catalog.load("pu1", count=True)


def test_data_file_gives_files_beside_the_tables(folder):
    (folder / "adult_arx").mkdir()
    (folder / "adult_arx" / "adult_hierarchy_age.csv").write_text("17;10-19;*\n")
    assert samples.data_file("adult_arx/adult_hierarchy_age.csv").read_text() == "17;10-19;*\n"
