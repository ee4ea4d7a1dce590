import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Classifies the irises and says how well, as a Stoker job: {@code java TrainClassifier.java}.
 *
 * <p>The features come from the jobs it depends on ({@code STOKER_DEPENDENCIES}, a JSON file: an
 * array of {@code {"id","result"}}); those of several are put side by side. Parameters ({@code
 * STOKER_PARAMS}): {@code method}, knn or centroid; {@code k}, neighbours that vote (default 5);
 * {@code folds} of the cross-validation (default 5); {@code repeats}, each with another shuffle
 * (default 20). Result lines are {@code [accuracy, worst]}: the mean accuracy over the repeats so
 * far and the lowest of one repeat. The first number of the last line is the job's score.
 */
public class TrainClassifier {
  record Data(double[][] rows, String[] species) {}

  interface Classifier {
    String classify(double[] row, Data data, List<Integer> training);
  }

  public static void main(String[] args) throws IOException {
    Map<?, ?> params = (Map<?, ?>) new Json(input("STOKER_PARAMS")).value();
    Data data = sideBySide((List<?>) new Json(input("STOKER_DEPENDENCIES")).value());
    Classifier classifier = classifier(params);
    int folds = number(params, "folds", 5);
    int repeats = number(params, "repeats", 20);
    Shuffle shuffle = new Shuffle();
    double sum = 0;
    double worst = 1;
    for (int repeat = 1; repeat <= repeats; repeat++) {
      double accuracy = crossValidate(classifier, data, shuffle.order(data.rows.length), folds);
      sum += accuracy;
      worst = Math.min(worst, accuracy);
      // Ten lines however many repeats: each costs a reader of the status topic something.
      if (repeat * 10 / repeats != (repeat - 1) * 10 / repeats) {
        System.out.println("#stoker:progress " + rounded((double) repeat / repeats));
        System.out.println("#stoker:result [" + rounded(sum / repeat) + "," + rounded(worst) + "]");
      }
    }
  }

  /** The share of flowers named rightly when each fold in turn is classified by the others. */
  static double crossValidate(Classifier classifier, Data data, int[] order, int folds) {
    int right = 0;
    for (int fold = 0; fold < folds; fold++) {
      List<Integer> training = new ArrayList<>();
      List<Integer> test = new ArrayList<>();
      for (int i = 0; i < order.length; i++) {
        (i % folds == fold ? test : training).add(order[i]);
      }
      for (int row : test) {
        if (classifier.classify(data.rows[row], data, training).equals(data.species[row])) {
          right++;
        }
      }
    }
    return (double) right / order.length;
  }

  static Classifier classifier(Map<?, ?> params) {
    int k = number(params, "k", 5);
    Object method = params.get("method");
    if ("knn".equals(method)) {
      return (row, data, training) -> nearestNeighbours(row, data, training, k);
    }
    if (!"centroid".equals(method)) {
      fail("method is " + method + ", expected knn or centroid");
    }
    return TrainClassifier::nearestCentroid;
  }

  /** The commonest species among the k nearest; of equally common ones the nearest. */
  static String nearestNeighbours(double[] row, Data data, List<Integer> training, int k) {
    double[] distance = new double[data.rows.length];
    training.forEach(i -> distance[i] = distance(row, data.rows[i]));
    List<Integer> nearest = new ArrayList<>(training);
    nearest.sort(
        (a, b) -> distance[a] != distance[b] ? Double.compare(distance[a], distance[b]) : a - b);
    Map<String, Integer> votes = new LinkedHashMap<>();
    nearest.stream().limit(k).forEach(i -> votes.merge(data.species[i], 1, Integer::sum));
    return first(votes, Integer::compare);
  }

  /** The species whose mean is nearest. */
  static String nearestCentroid(double[] row, Data data, List<Integer> training) {
    Map<String, double[]> sums = new LinkedHashMap<>();
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (int i : training.stream().sorted().toList()) {
      double[] sum = sums.computeIfAbsent(data.species[i], name -> new double[row.length]);
      Arrays.setAll(sum, column -> sum[column] + data.rows[i][column]);
      counts.merge(data.species[i], 1, Integer::sum);
    }
    Map<String, Double> nearness = new LinkedHashMap<>();
    sums.forEach(
        (name, sum) -> {
          double[] mean = Arrays.stream(sum).map(total -> total / counts.get(name)).toArray();
          nearness.put(name, -distance(row, mean));
        });
    return first(nearness, Double::compare);
  }

  /** The key of the greatest value; of equal ones the first. */
  static <V> String first(Map<String, V> values, java.util.Comparator<V> order) {
    String best = null;
    for (var entry : values.entrySet()) {
      if (best == null || order.compare(entry.getValue(), values.get(best)) > 0) {
        best = entry.getKey();
      }
    }
    return best;
  }

  static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
  }

  static Data sideBySide(List<?> dependencies) {
    if (dependencies.isEmpty()) {
      fail("dependsOn is empty: a classifier needs the features of another job");
    }
    List<double[]> joined = new ArrayList<>();
    String[] species = {};
    for (Object dependency : dependencies) {
      Map<?, ?> result = (Map<?, ?>) ((Map<?, ?>) dependency).get("result");
      species = ((List<?>) result.get("species")).toArray(new String[0]);
      List<?> rows = (List<?>) result.get("rows");
      for (int i = 0; i < rows.size(); i++) {
        double[] more = ((List<?>) rows.get(i)).stream().mapToDouble(n -> (Double) n).toArray();
        if (joined.size() == i) {
          joined.add(new double[0]);
        }
        double[] before = joined.get(i);
        double[] both = Arrays.copyOf(before, before.length + more.length);
        System.arraycopy(more, 0, both, before.length, more.length);
        joined.set(i, both);
      }
    }
    return new Data(joined.toArray(new double[0][]), species);
  }

  static int number(Map<?, ?> params, String name, int otherwise) {
    return params.get(name) instanceof Double given ? given.intValue() : otherwise;
  }

  static double rounded(double value) {
    return Math.floor(value * 1e4 + 0.5) / 1e4;
  }

  static String input(String variable) throws IOException {
    String file = System.getenv(variable);
    if (file == null) {
      fail(variable + " is not set: it names a JSON file of this job's input");
    }
    return Files.readString(Path.of(file));
  }

  static void fail(String message) {
    System.err.println("TrainClassifier: " + message);
    System.exit(2);
  }

  /** Shuffles by a generator of its own, so that the Python version gives the same results. */
  static final class Shuffle {
    private long seed = 1936; // the year of Fisher's paper

    int[] order(int size) {
      int[] order = IntStream.range(0, size).toArray();
      for (int i = size - 1; i > 0; i--) {
        seed = (seed * 1103515245 + 12345) & 0x7fffffff;
        int other = (int) ((seed >> 8) % (i + 1));
        int kept = order[i];
        order[i] = order[other];
        order[other] = kept;
      }
      return order;
    }
  }

  /** Reads JSON as maps, lists, strings, doubles, booleans and null. */
  static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Object value() {
      return switch (next()) {
        case '{' -> object();
        case '[' -> array();
        case '"' -> string();
        default -> literal();
      };
    }

    private Map<String, Object> object() {
      Map<String, Object> fields = new LinkedHashMap<>();
      for (at++; next() != '}'; skip(',')) {
        next();
        String name = string();
        skip(':');
        fields.put(name, value());
      }
      at++;
      return fields;
    }

    private List<Object> array() {
      List<Object> items = new ArrayList<>();
      for (at++; next() != ']'; skip(',')) {
        items.add(value());
      }
      at++;
      return items;
    }

    private String string() {
      StringBuilder read = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        if (text.charAt(at) == '\\') {
          at++;
        }
        read.append(text.charAt(at));
      }
      at++;
      return read.toString();
    }

    private Object literal() {
      int from = at;
      while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      String read = text.substring(from, at);
      return switch (read) {
        case "true", "false" -> Boolean.valueOf(read);
        case "null" -> null;
        default -> Double.valueOf(read);
      };
    }

    private char next() {
      while (Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      return text.charAt(at);
    }

    private void skip(char separator) {
      if (next() == separator) {
        at++;
      }
    }
  }
}
