# SPDX-License-Identifier: Apache-2.0
"""The rival ARX: built from what the user names, and run; here with a stand-in that has the same classes.

The stand-in writes every quasi-identifier on level 1 and suppresses the first row.
"""

import shutil

import pytest
from benchmarks.frontier.protocol import Split
from benchmarks.frontier.rivals import by_arx
from benchmarks.rivals import arx

from benchmarks import rivals
from discreet import Roles, Table

HEAD = "package org.deidentifier.arx;\nimport java.io.*; import java.nio.charset.*; import java.util.*;\n"
CLASSES = {
    "AttributeType": """public class AttributeType {
        public static final AttributeType INSENSITIVE_ATTRIBUTE = new AttributeType();
        public static class Hierarchy extends AttributeType {
            public Map<String, String> above = new HashMap<>();
            public static Hierarchy create(File file, Charset charset, char delimiter) throws IOException {
                Hierarchy made = new Hierarchy();
                for (String[] path : Data.cells(file, charset, delimiter)) made.above.put(path[0], path[1]);
                return made;
            }
        }
    }""",
    "DataDefinition": """public class DataDefinition {
        Map<String, AttributeType> types = new HashMap<>();
        public void setAttributeType(String name, AttributeType type) { types.put(name, type); }
        public void setResponseVariable(String name, boolean is) { }
    }""",
    "Data": """public class Data {
        List<String[]> rows; DataDefinition definition = new DataDefinition();
        static List<String[]> cells(File file, Charset charset, char delimiter) throws IOException {
            List<String[]> found = new ArrayList<>();
            for (String line : java.nio.file.Files.readAllLines(file.toPath(), charset))
                found.add(line.replace("\\"", "").split(String.valueOf(delimiter)));
            return found;
        }
        public static Data create(File file, Charset charset, char delimiter) throws IOException {
            Data made = new Data(); made.rows = cells(file, charset, delimiter); return made;
        }
        public DataHandle getHandle() { return new DataHandle(rows); }
        public DataDefinition getDefinition() { return definition; }
    }""",
    "DataHandle": """public class DataHandle {
        List<String[]> rows;
        DataHandle(List<String[]> rows) { this.rows = rows; }
        public void save(File file, char separator) throws IOException {
            try (PrintWriter out = new PrintWriter(file, "UTF-8")) {
                for (String[] row : rows) out.println(String.join(String.valueOf(separator), row));
            }
        }
    }""",
    "ARXLattice": """public class ARXLattice {
        public static class ARXNode { public int getGeneralization(String attribute) { return 1; } }
    }""",
    "ARXConfiguration": """public class ARXConfiguration {
        public static ARXConfiguration create() { return new ARXConfiguration(); }
        public ARXConfiguration addPrivacyModel(org.deidentifier.arx.criteria.KAnonymity model) { return this; }
        public void setSuppressionLimit(double limit) { }
        public void setQualityModel(org.deidentifier.arx.metric.Metric<?> model) { }
    }""",
    "ARXResult": """public class ARXResult {
        DataHandle output;
        public boolean isResultAvailable() { return output.rows.size() > 3; }
        public DataHandle getOutput() { return output; }
        public ARXLattice.ARXNode getGlobalOptimum() { return new ARXLattice.ARXNode(); }
    }""",
    "ARXAnonymizer": """public class ARXAnonymizer {
        public ARXResult anonymize(Data data, ARXConfiguration configuration) throws IOException {
            List<String[]> out = new ArrayList<>();
            String[] names = data.rows.get(0);
            for (int i = 0; i < data.rows.size(); i++) {
                String[] row = data.rows.get(i).clone();
                for (int j = 0; i > 0 && j < row.length; j++) {
                    AttributeType type = data.definition.types.get(names[j]);
                    if (type instanceof AttributeType.Hierarchy)
                        row[j] = i == 1 ? "*" : ((AttributeType.Hierarchy) type).above.get(row[j]);
                }
                out.add(row);
            }
            ARXResult result = new ARXResult(); result.output = new DataHandle(out); return result;
        }
    }""",
}
OTHERS = {
    "criteria/KAnonymity": """package org.deidentifier.arx.criteria;
        public class KAnonymity { public KAnonymity(int k) { } }""",
    "metric/Metric": """package org.deidentifier.arx.metric;
        public class Metric<T> {
            public static Metric<String> createClassificationMetric() { return new Metric<>(); }
            public static Metric<Integer> createLossMetric() { return new Metric<>(); }
        }""",
}
ROLES = Roles(target="y", quasi=["age", "town"])
TOWNS = ["Bonn", "Ulm", "Kiel", "Köln", "Jena", "Hof"]
needs_java = pytest.mark.skipif(not shutil.which("javac"), reason="needs a Java compiler")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    root = tmp_path_factory.mktemp("arx source")
    place = root / "src" / "main" / "org" / "deidentifier" / "arx"
    for folder in ("criteria", "metric", "resources"):
        (place / folder).mkdir(parents=True)
    for name, text in ({name: HEAD + text for name, text in CLASSES.items()} | OTHERS).items():
        (place / f"{name}.java").write_text(text, encoding="utf-8")
    (place / "resources" / "names.txt").write_text("kept", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arx, "BUILD", tmp_path_factory.mktemp("build"))
        yield arx.BUILD


def rows(n: int) -> Table:
    return Table.of(
        {
            "age": [20 + i % 40 for i in range(n)],
            "town": [TOWNS[i % 6] for i in range(n)],
            "y": ["ab"[i % 2] for i in range(n)],
        }
    )


@needs_java
def test_a_release_is_made_read_and_applied_to_further_rows(source, build, monkeypatch):
    monkeypatch.setenv(arx.VARIABLE, str(source))
    table = rows(120)
    found = arx.anonymise(table, ROLES, 5, "classification", runs=2)
    assert found.levels == {"age": 1, "town": 1}
    assert len(found.seconds) == len(found.cpu) == 2
    assert found.suppressed == pytest.approx(1 / 120)
    released = found.table.to_arrow().to_pylist()
    assert released[0] == {"age": "*", "town": "*", "y": "a"}
    expected = [
        found.hierarchies[name].generalise(table.column(name), 1).to_arrow().to_pylist() for name in ROLES.quasi
    ]
    assert [(row["age"], row["town"]) for row in released[1:]] == list(zip(*expected, strict=True))[1:]
    again = found.recode(Table.of({"age": [21, 99], "town": ["Kiel", "Kiel"], "y": ["a", "b"]}))
    assert again.to_arrow().to_pylist()[1] == {"age": "*", "town": "*"}  # an age that was never published
    measured = by_arx(Split(table, rows(30), ROLES), 5, ("tree",), metric="loss")
    assert measured["suppressed"] == pytest.approx(1 / 120)
    assert measured["learners"]["tree"]["accuracy"] > 0
    built = list(build.iterdir())
    assert len(built) == 1  # once for all runs
    assert (built[0] / "org/deidentifier/arx/resources/names.txt").read_text(encoding="utf-8") == "kept"


@needs_java
def test_a_source_that_does_not_compile_or_finds_nothing_is_absent_with_its_reason(source, build, tmp_path):
    with pytest.raises(rivals.AbsentError, match=r"ARX failed: .*found no release"):
        arx.anonymise(rows(2), ROLES, 5, "loss", source=str(source))
    with pytest.raises(rivals.AbsentError, match="missing cells"):
        arx.anonymise(
            Table.of({"age": [1, None], "town": ["a", "b"], "y": ["a", "b"]}), ROLES, 5, "loss", source=str(source)
        )
    broken = tmp_path / "broken" / "src" / "main"
    broken.mkdir(parents=True)
    (broken / "A.java").write_text("class B {", encoding="utf-8")
    with pytest.raises(rivals.AbsentError, match=r"compiler failed: .*error"):
        arx.build(str(tmp_path / "broken"))


def test_nothing_is_built_when_nothing_is_given(tmp_path, monkeypatch):
    monkeypatch.delenv(arx.VARIABLE, raising=False)
    with pytest.raises(rivals.AbsentError, match="source was not given"):
        arx.build()
    with pytest.raises(rivals.AbsentError, match="nothing that exists"):
        arx.build(str(tmp_path / "nowhere"))
