import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Turns the iris measurements into features, as a Stoker job: {@code java ExtractFeatures.java}.
 *
 * <p>Parameters ({@code STOKER_PARAMS}, a JSON file): {@code data}, the path of iris.csv; {@code
 * variant}, one of petals, sepals, ratios, all; {@code standardise}, whether each feature is moved
 * to mean 0 and deviation 1 (default false). The result ({@code STOKER_RESULT}, a JSON file) is
 * {@code {"features":[names],"rows":[[numbers]],"species":[names]}}; without that variable it goes
 * to stdout as a result line.
 */
public class ExtractFeatures {
  /** The four measurements of one flower, in cm. */
  record Flower(
      double sepalLength,
      double sepalWidth,
      double petalLength,
      double petalWidth,
      String species) {}

  record Feature(String name, ToDoubleFunction<Flower> of) {}

  static final Feature SEPAL_LENGTH = new Feature("sepal_length", Flower::sepalLength);
  static final Feature SEPAL_WIDTH = new Feature("sepal_width", Flower::sepalWidth);
  static final Feature PETAL_LENGTH = new Feature("petal_length", Flower::petalLength);
  static final Feature PETAL_WIDTH = new Feature("petal_width", Flower::petalWidth);
  static final Map<String, List<Feature>> VARIANTS =
      Map.of(
          "sepals", List.of(SEPAL_LENGTH, SEPAL_WIDTH),
          "petals", List.of(PETAL_LENGTH, PETAL_WIDTH),
          "all", List.of(SEPAL_LENGTH, SEPAL_WIDTH, PETAL_LENGTH, PETAL_WIDTH),
          "ratios",
              List.of(
                  new Feature("sepal_ratio", f -> f.sepalLength() / f.sepalWidth()),
                  new Feature("petal_ratio", f -> f.petalLength() / f.petalWidth())));

  public static void main(String[] args) throws IOException {
    String file = System.getenv("STOKER_PARAMS");
    if (file == null) {
      fail("STOKER_PARAMS is not set: it names the JSON file of this job's parameters");
    }
    Map<String, Object> params = FlatJson.read(Files.readString(Path.of(file)));
    List<Feature> features = VARIANTS.get(String.valueOf(params.get("variant")));
    if (features == null) {
      fail("variant is " + params.get("variant") + ", expected petals, sepals, ratios or all");
    }
    List<Flower> flowers = flowers(Path.of(String.valueOf(params.get("data"))));
    double[][] rows = new double[flowers.size()][features.size()];
    for (int column = 0; column < features.size(); column++) {
      for (int row = 0; row < rows.length; row++) {
        rows[row][column] = features.get(column).of().applyAsDouble(flowers.get(row));
      }
      if (Boolean.TRUE.equals(params.get("standardise"))) {
        standardise(rows, column);
      }
      System.out.println("#stoker:progress " + (column + 1.0) / features.size());
    }
    String result = json(features, rows, flowers);
    String resultFile = System.getenv("STOKER_RESULT");
    if (resultFile == null) {
      System.out.println("#stoker:result " + result);
    } else {
      Files.writeString(Path.of(resultFile), result);
    }
  }

  static List<Flower> flowers(Path csv) throws IOException {
    if (!Files.isReadable(csv)) {
      fail("data is " + csv + ", which cannot be read");
    }
    List<Flower> flowers = new ArrayList<>();
    for (String line : Files.readAllLines(csv).stream().skip(1).toList()) {
      String[] cells = line.split(",");
      double[] cm = new double[4];
      for (int i = 0; i < cm.length; i++) {
        cm[i] = Double.parseDouble(cells[i]);
      }
      flowers.add(new Flower(cm[0], cm[1], cm[2], cm[3], cells[4]));
    }
    return flowers;
  }

  /** Moves a column to mean 0 and (population) standard deviation 1. */
  static void standardise(double[][] rows, int column) {
    double sum = 0;
    for (double[] row : rows) {
      sum += row[column];
    }
    double mean = sum / rows.length;
    double squares = 0;
    for (double[] row : rows) {
      squares += (row[column] - mean) * (row[column] - mean);
    }
    double deviation = Math.sqrt(squares / rows.length);
    for (double[] row : rows) {
      row[column] = (row[column] - mean) / deviation;
    }
  }

  static String json(List<Feature> features, double[][] rows, List<Flower> flowers) {
    List<String> numbers = new ArrayList<>();
    for (double[] row : rows) {
      List<String> cells = new ArrayList<>();
      for (double cell : row) {
        cells.add(Double.toString(Math.floor(cell * 1e4 + 0.5) / 1e4));
      }
      numbers.add("[" + String.join(",", cells) + "]");
    }
    return "{\"features\":"
        + strings(features.stream().map(Feature::name).toList())
        + ",\"rows\":["
        + String.join(",", numbers)
        + "],\"species\":"
        + strings(flowers.stream().map(Flower::species).toList())
        + "}";
  }

  static String strings(List<String> names) {
    return "[\"" + String.join("\",\"", names) + "\"]";
  }

  static void fail(String message) {
    System.err.println("ExtractFeatures: " + message);
    System.exit(2);
  }

  /** Reads one JSON object of strings, numbers and booleans: all that the parameters here hold. */
  static final class FlatJson {
    static Map<String, Object> read(String text) {
      Map<String, Object> fields = new LinkedHashMap<>();
      var field =
          java.util.regex.Pattern.compile(
                  "\"(\\w+)\"\\s*:\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^,}\\s]+))")
              .matcher(text);
      while (field.find()) {
        fields.put(
            field.group(1),
            field.group(2) == null ? literal(field.group(3)) : unescape(field.group(2)));
      }
      return fields;
    }

    static Object literal(String text) {
      return switch (text) {
        case "true" -> true;
        case "false" -> false;
        default -> Double.valueOf(text);
      };
    }

    static String unescape(String text) {
      return text.replaceAll("\\\\([\"\\\\/])", "$1");
    }
  }
}
