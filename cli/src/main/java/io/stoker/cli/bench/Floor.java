package io.stoker.cli.bench;

import java.util.Map;

/**
 * Measures the least that Kafka and Postgres alone take for a job, on the stack and in the minutes
 * of a measurement: machines differ, and one machine from hour to hour.
 *
 * @param kafka a record of the size of a status, written and read
 * @param postgres a narrow row, inserted and updated twice
 * @param ratio how a workload compares; null where none was measured beside it
 */
record Floor(Part kafka, Part postgres, Ratio ratio) {
  /**
   * One of the two.
   *
   * @param count records or rows
   * @param seconds from the first to the last
   * @param perSecond count by seconds
   * @param cpuMillis of the server and of the client that drives it, for each
   */
  record Part(int count, double seconds, double perSecond, double cpuMillis) {
    /**
     * Rounded.
     *
     * @param cpuSeconds of the server and the client together
     */
    static Part of(int count, double seconds, double cpuSeconds) {
      return new Part(
          count,
          rounded(seconds, 1e3),
          rounded(count / seconds, 10),
          rounded(cpuSeconds * 1000 / count, 1e4));
    }
  }

  /**
   * A workload beside the floors.
   *
   * @param kafka its jobs a second by Kafka's records a second
   * @param postgres its jobs a second by Postgres' rows a second
   * @param cpu what a job costs all processes together by what a record and a row cost together
   */
  record Ratio(double kafka, double postgres, double cpu) {}

  /** The same beside a workload. */
  Floor under(double perSecond, Map<String, Double> cpuSecondsPer1000) {
    // Seconds for 1,000 jobs are milliseconds for one.
    double job = cpuSecondsPer1000.values().stream().mapToDouble(Double::doubleValue).sum();
    Ratio ratio =
        new Ratio(
            rounded(perSecond / kafka.perSecond(), 1e4),
            rounded(perSecond / postgres.perSecond(), 1e4),
            rounded(job / (kafka.cpuMillis() + postgres.cpuMillis()), 10));
    return new Floor(kafka, postgres, ratio);
  }

  private static double rounded(double figure, double parts) {
    return Math.round(figure * parts) / parts;
  }
}
