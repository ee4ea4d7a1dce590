package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The data set is Fisher's, by the figures that are published of it. */
class IrisDataTest {

  @Test
  void hasHeaderAndHundredFiftyRows() throws IOException {
    List<String> lines = lines();
    assertThat(lines).hasSize(151);
    assertThat(lines.getFirst())
        .isEqualTo("sepal_length,sepal_width,petal_length,petal_width,species");
  }

  @ParameterizedTest
  @CsvSource({
    "setosa,     5.006, 3.428, 1.462, 0.246, 0.352, 0.379, 0.174, 0.105",
    "versicolor, 5.936, 2.770, 4.260, 1.326, 0.516, 0.314, 0.470, 0.198",
    "virginica,  6.588, 2.974, 5.552, 2.026, 0.636, 0.322, 0.552, 0.275"
  })
  void hasThePublishedMeansAndDeviations(
      String species,
      double meanA,
      double meanB,
      double meanC,
      double meanD,
      double deviationA,
      double deviationB,
      double deviationC,
      double deviationD)
      throws IOException {
    List<String[]> rows =
        lines().stream().map(line -> line.split(",")).filter(c -> c[4].equals(species)).toList();
    double[] means = {meanA, meanB, meanC, meanD};
    double[] deviations = {deviationA, deviationB, deviationC, deviationD};
    assertThat(rows).hasSize(50);
    for (int column = 0; column < 4; column++) {
      double[] cells = column(rows, column);
      double mean = sum(cells) / 50;
      double[] squares = new double[50];
      for (int i = 0; i < 50; i++) {
        squares[i] = (cells[i] - mean) * (cells[i] - mean);
      }
      assertThat(mean).as("mean of column %d", column).isCloseTo(means[column], within(1e-9));
      assertThat(Math.sqrt(sum(squares) / 49))
          .as("deviation of column %d", column)
          .isCloseTo(deviations[column], within(5e-4));
    }
  }

  private static List<String> lines() throws IOException {
    return Files.readAllLines(Checkout.examples().resolve("iris/iris.csv"));
  }

  private static double[] column(List<String[]> rows, int column) {
    return rows.stream().mapToDouble(cells -> Double.parseDouble(cells[column])).toArray();
  }

  private static double sum(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }
}
