package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The example jobs, run as an agent would run them: a program, and files that STOKER_* names. */
@BesideTheSharedStack
class IrisProgramsTest {
  private static final Path IRIS = Checkout.examples().resolve("iris");

  /** The extraction's result on the petals, made once for the classifiers. */
  private static JsonNode petals;

  @TempDir Path folder;

  @BeforeAll
  static void extractPetals(@TempDir Path shared) throws Exception {
    petals = extract(shared, javaProgram(shared, "ExtractFeatures"), extraction("petals", false));
  }

  @Test
  void extractsThePetalsAsTheyWereMeasured() {
    assertThat(petals.get("features").toString()).isEqualTo("[\"petal_length\",\"petal_width\"]");
    assertThat(petals.get("rows")).hasSize(150);
    assertThat(petals.get("rows").get(0).toString()).isEqualTo("[1.4,0.2]");
    assertThat(petals.get("rows").get(149).toString()).isEqualTo("[5.1,1.8]");
    assertThat(petals.get("species").get(50).asText()).isEqualTo("versicolor");
  }

  @Test
  void standardisesRatios() throws Exception {
    JsonNode ratios =
        extract(folder, javaProgram(folder, "ExtractFeatures"), extraction("ratios", true));
    assertThat(ratios.get("features").toString()).isEqualTo("[\"sepal_ratio\",\"petal_ratio\"]");
    double sum = 0;
    double squares = 0;
    for (JsonNode row : ratios.get("rows")) {
      sum += row.get(1).asDouble();
      squares += row.get(1).asDouble() * row.get(1).asDouble();
    }
    assertThat(sum / 150).isBetween(-1e-3, 1e-3);
    assertThat(squares / 150).isBetween(0.999, 1.001);
  }

  @Test
  void extractionWithoutResultFileReportsALine() throws Exception {
    Program.Ended ended =
        javaProgram(folder, "ExtractFeatures")
            .with("STOKER_PARAMS", file(folder, "params", extraction("sepals", false)))
            .run();
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.lines("#stoker:progress")).containsExactly("0.5", "1.0");
    assertThat(ended.lines("#stoker:result")).hasSize(1);
    assertThat(Json.read(ended.lines("#stoker:result").getFirst()).get("rows")).hasSize(150);
  }

  @ParameterizedTest
  @CsvSource({"knn, 0.9583", "centroid, 0.961"})
  void classifiesThePetals(String method, double accuracy) throws Exception {
    Program.Ended ended = train(javaProgram(folder, "TrainClassifier"), training(method), petals);
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.lines("#stoker:progress")).hasSize(10).last().isEqualTo("1.0");
    assertThat(ended.lines("#stoker:result")).hasSize(10);
    JsonNode result = Json.read(ended.lines("#stoker:result").getLast());
    assertThat(result).hasSize(2);
    assertThat(result.get(0).asDouble()).isEqualTo(accuracy);
    assertThat(result.get(1).asDouble()).isBetween(0.9, accuracy);
  }

  @ParameterizedTest
  @ValueSource(strings = {"knn", "centroid"})
  void pythonGivesTheSameResults(String method) throws Exception {
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    JsonNode features =
        extract(folder, pythonProgram(folder, "extract_features"), extraction("petals", false));
    assertThat(features).isEqualTo(petals);
    Program.Ended python =
        train(pythonProgram(folder, "train_classifier"), training(method), petals, features);
    Program.Ended java =
        train(javaProgram(folder, "TrainClassifier"), training(method), petals, features);
    assertThat(python.exitCode()).as(python.err()).isZero();
    assertThat(results(python)).hasSize(10).isEqualTo(results(java));
  }

  @Test
  void bothFailuresExitThree() throws Exception {
    Program.Ended java = Program.java(folder, IRIS.resolve("Fail.java"), "no", "roots").run();
    assertThat(java.exitCode()).isEqualTo(3);
    assertThat(java.err()).contains("no roots");
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    Program.Ended python = pythonProgram(folder, "fail").run();
    assertThat(python.exitCode()).isEqualTo(3);
    assertThat(python.err()).contains("this job always fails");
  }

  @Test
  void aWrongVariantIsNamed() throws Exception {
    Program.Ended ended =
        javaProgram(folder, "ExtractFeatures")
            .with("STOKER_PARAMS", file(folder, "params", extraction("roots", false)))
            .run();
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.err()).contains("variant is roots, expected petals, sepals, ratios or all");
  }

  @Test
  void aClassifierWithoutInputSaysWhatItNeeds() throws Exception {
    Program.Ended none = javaProgram(folder, "TrainClassifier").run();
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("STOKER_PARAMS is not set");
    Program.Ended empty = train(javaProgram(folder, "TrainClassifier"), training("knn"));
    assertThat(empty.exitCode()).isEqualTo(2);
    assertThat(empty.err()).contains("dependsOn is empty");
  }

  private static Program javaProgram(Path folder, String name) {
    return Program.java(folder, IRIS.resolve(name + ".java"));
  }

  private static Program pythonProgram(Path folder, String name) {
    return Program.of(folder, "python3", IRIS.resolve(name + ".py").toString());
  }

  private static String extraction(String variant, boolean standardise) {
    return Json.text(
        Json.tree(
            java.util.Map.of(
                "data", IRIS.resolve("iris.csv").toString(),
                "variant", variant,
                "standardise", standardise)));
  }

  private static String training(String method) {
    return "{\"method\":\"%s\",\"k\":5,\"folds\":5,\"repeats\":20}".formatted(method);
  }

  private static JsonNode extract(Path folder, Program program, String params) throws Exception {
    Path result = folder.resolve("result.json");
    Program.Ended ended =
        program
            .with("STOKER_PARAMS", file(folder, "params", params))
            .with("STOKER_RESULT", result)
            .run();
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return Json.read(Files.readString(result));
  }

  private Program.Ended train(Program program, String params, JsonNode... inputs) throws Exception {
    StringBuilder dependencies = new StringBuilder();
    for (JsonNode input : inputs) {
      dependencies
          .append(dependencies.isEmpty() ? "" : ",")
          .append("{\"id\":\"features\",\"result\":")
          .append(Json.text(input))
          .append("}");
    }
    return program
        .with("STOKER_PARAMS", file(folder, "params", params))
        .with("STOKER_DEPENDENCIES", file(folder, "dependencies", "[" + dependencies + "]"))
        .run();
  }

  private static List<JsonNode> results(Program.Ended ended) throws Exception {
    List<JsonNode> results = new java.util.ArrayList<>();
    for (String line : ended.lines("#stoker:result")) {
      results.add(Json.read(line));
    }
    return results;
  }

  private static Path file(Path folder, String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name + ".json"), content);
  }
}
