// SPDX-License-Identifier: Apache-2.0

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * k-anonymity by ARX: full-domain generalisation and suppression of rows, without a limit to either.
 *
 * Arguments: a folder, the label, k, "classification" or "loss", runs. The folder has rows.csv (cells between
 * semicolons), columns.txt (a quasi-identifier a line) and, for line i of it, the hierarchy i.csv. Writes released.csv
 * into it and prints seconds, processor seconds and the level of each quasi-identifier as JSON. Rows are read before
 * the clock starts.
 */
public final class Anonymize {
    private static final char SEPARATOR = ';';

    private Anonymize() {}

    public static void main(String[] arguments) throws Exception {
        File folder = new File(arguments[0]);
        String label = arguments[1];
        int k = Integer.parseInt(arguments[2]);
        boolean byClass = arguments[3].equals("classification");
        int runs = Integer.parseInt(arguments[4]);
        List<String> quasi =
                Files.readAllLines(new File(folder, "columns.txt").toPath(), StandardCharsets.UTF_8);
        List<String> seconds = new ArrayList<>();
        List<String> processor = new ArrayList<>();
        List<String> levels = new ArrayList<>();
        for (int run = 0; run <= runs; run++) {
            Data data = read(folder, quasi, label, byClass);
            ARXConfiguration wanted = ARXConfiguration.create();
            wanted.addPrivacyModel(new KAnonymity(k));
            wanted.setSuppressionLimit(1d);
            wanted.setQualityModel(byClass ? Metric.createClassificationMetric() : Metric.createLossMetric());
            long clock = System.nanoTime();
            long spent = processorTime();
            ARXResult result = new ARXAnonymizer().anonymize(data, wanted);
            if (!result.isResultAvailable()) {
                throw new IllegalStateException("ARX found no release");
            }
            DataHandle released = result.getOutput();
            if (run == 0 && runs > 1) {
                continue; // the first run warms the machine up
            }
            seconds.add(Double.toString((System.nanoTime() - clock) / 1e9));
            processor.add(Double.toString((processorTime() - spent) / 1e9));
            if (run == runs || runs == 1) {
                ARXNode best = result.getGlobalOptimum();
                for (String name : quasi) {
                    levels.add(Integer.toString(best.getGeneralization(name)));
                }
                released.save(new File(folder, "released.csv"), SEPARATOR);
                break;
            }
        }
        System.out.println("{\"seconds\": " + seconds + ", \"cpu\": " + processor + ", \"levels\": " + levels + "}");
    }

    private static Data read(File folder, List<String> quasi, String label, boolean byClass) throws Exception {
        Data data = Data.create(new File(folder, "rows.csv"), StandardCharsets.UTF_8, SEPARATOR);
        data.getHandle();
        for (int i = 0; i < quasi.size(); i++) {
            File file = new File(folder, i + ".csv");
            data.getDefinition()
                    .setAttributeType(quasi.get(i), Hierarchy.create(file, StandardCharsets.UTF_8, SEPARATOR));
        }
        data.getDefinition().setAttributeType(label, AttributeType.INSENSITIVE_ATTRIBUTE);
        if (byClass) {
            data.getDefinition().setResponseVariable(label, true);
        }
        return data;
    }

    private static long processorTime() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
