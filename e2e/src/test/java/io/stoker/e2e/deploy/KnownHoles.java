package io.stoker.e2e.deploy;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of deploy/known-holes.tsv: versions of libraries that must not be shipped. */
record KnownHoles(List<Row> rows) {
  /**
   * @param artifact as its jar is named, without its version
   * @param below the first version without the holes
   */
  record Row(String artifact, String below, String holes) {}

  static KnownHoles read() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Checkout.root().resolve("deploy/known-holes.tsv"))) {
      if (!line.startsWith("#")) {
        String[] cells = line.split("\t");
        rows.add(new Row(cells[0], cells[1], cells[2]));
      }
    }
    return new KnownHoles(rows);
  }

  /**
   * What is wrong with jars.
   *
   * @param jars file names, with or without the group before the artifact
   * @return a sentence each
   */
  List<String> in(List<String> jars) {
    List<String> found = new ArrayList<>();
    for (Row row : rows) {
      Pattern named =
          Pattern.compile("(?:.*\\.)?" + Pattern.quote(row.artifact) + "-(\\d.*)\\.jar");
      for (String jar : jars) {
        Matcher version = named.matcher(jar);
        if (version.matches() && compare(version.group(1), row.below) < 0) {
          found.add("%s has %s, which %s mends".formatted(jar, row.holes, row.below));
        }
      }
    }
    return found;
  }

  /** By the numbers in them, the first that differs; words such as Final say nothing. */
  static int compare(String one, String other) {
    List<Integer> left = numbers(one);
    List<Integer> right = numbers(other);
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      int difference =
          Integer.compare(i < left.size() ? left.get(i) : 0, i < right.size() ? right.get(i) : 0);
      if (difference != 0) {
        return difference;
      }
    }
    return 0;
  }

  private static List<Integer> numbers(String version) {
    return Pattern.compile("\\d+")
        .matcher(version)
        .results()
        .map(found -> Integer.parseInt(found.group()))
        .toList();
  }
}
