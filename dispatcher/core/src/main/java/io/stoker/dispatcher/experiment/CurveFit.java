package io.stoker.dispatcher.experiment;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * Fits curves as learning makes them to points, by least squares, and follows the one that fits
 * best: {@code a + b·x^-c}, {@code a + b·e^(-cx)} and {@code a + b·ln x}. For a given {@code c} the
 * other two have a closed form; {@code c} itself is searched for on a grid which is then refined.
 * So its time is bounded by the number of points, and the same points always give the same answer.
 */
final class CurveFit {
  private static final int GRID = 40;
  private static final int REFINEMENTS = 3;

  /** Smallest and largest {@code c} of each kind of curve. */
  private static final Shape POWER = new Shape(c -> x -> Math.pow(x, -c), 0.01, 5);

  private static final Shape EXPONENTIAL = new Shape(c -> x -> Math.exp(-c * x), 0.001, 3);
  private static final Shape LOGARITHM = new Shape(c -> Math::log, 1, 1);

  private CurveFit() {}

  private interface Basis {
    DoubleUnaryOperator of(double c);
  }

  private record Shape(Basis basis, double least, double most) {}

  private record Fit(double a, double b, DoubleUnaryOperator basis, double error) {
    double at(double x) {
      return a + b * basis.applyAsDouble(x);
    }
  }

  /**
   * What comes at a later place.
   *
   * @param points of the places 1, 2, 3, …
   */
  static double predict(double[] points, int place) {
    Fit best = null;
    for (Shape shape : List.of(POWER, EXPONENTIAL, LOGARITHM)) {
      Fit fit = fit(points, shape);
      if (best == null || fit.error() < best.error()) {
        best = fit;
      }
    }
    return best.at(place);
  }

  private static Fit fit(double[] points, Shape shape) {
    double least = shape.least();
    double most = shape.most();
    Fit best = line(points, shape.basis().of(least));
    for (int round = 0; round < REFINEMENTS && most > least; round++) {
      double ratio = Math.pow(most / least, 1.0 / GRID);
      double at = least;
      for (int i = 0; i <= GRID; i++) {
        double c = least * Math.pow(ratio, i);
        Fit fit = line(points, shape.basis().of(c));
        if (fit.error() < best.error()) {
          best = fit;
          at = c;
        }
      }
      least = Math.max(shape.least(), at / ratio);
      most = Math.min(shape.most(), at * ratio);
    }
    return best;
  }

  /** The best {@code a} and {@code b} of {@code a + b·f(x)}. */
  private static Fit line(double[] points, DoubleUnaryOperator f) {
    double[] basis =
        IntStream.rangeClosed(1, points.length).mapToDouble(f::applyAsDouble).toArray();
    double meanF = mean(basis);
    double meanY = mean(points);
    double both = 0;
    double square = 0;
    for (int i = 0; i < points.length; i++) {
      both += (basis[i] - meanF) * (points[i] - meanY);
      square += (basis[i] - meanF) * (basis[i] - meanF);
    }
    double b = square == 0 ? 0 : both / square;
    double a = meanY - b * meanF;
    double error = 0;
    for (int i = 0; i < points.length; i++) {
      double off = points[i] - a - b * basis[i];
      error += off * off;
    }
    return new Fit(a, b, f, error);
  }

  private static double mean(double[] numbers) {
    double sum = 0;
    for (double number : numbers) {
      sum += number;
    }
    return sum / numbers.length;
  }
}
