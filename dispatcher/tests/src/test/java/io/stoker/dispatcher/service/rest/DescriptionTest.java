package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * docs/openapi.yaml is what the annotations of the resources say. After a change, {@code
 * -Ddocs.write=true} writes it again.
 */
@QuarkusTest
@OnRealServices
class DescriptionTest {
  private static final Path FILE = Path.of("../../../docs/openapi.yaml");

  @Test
  void fileSaysWhatTheResourcesSay() throws IOException {
    String made = given().get("/q/openapi-made").then().statusCode(200).extract().asString();
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(FILE, made);
      return;
    }

    assertThat(Files.readString(FILE)).as("as %s is", FILE).isEqualTo(made);
  }

  @Test
  void answerIsTheFile_asYamlAndAsJson() throws IOException {
    String yaml =
        given().get("/q/openapi").then().contentType("application/yaml").extract().asString();
    assertThat(yaml).isEqualTo(Files.readString(FILE));
    given().get("/q/openapi?format=yaml").then().contentType("application/yaml");

    JsonPath made = given().get("/q/openapi-made?format=json").then().extract().jsonPath();
    for (String json : new String[] {"?format=json", "?format=JSON", ""}) {
      JsonPath answer =
          given()
              .accept(json.isEmpty() ? "application/json" : "*/*")
              .get("/q/openapi" + json)
              .then()
              .contentType("application/json")
              .extract()
              .jsonPath();
      assertThat(answer.getMap("$")).isEqualTo(made.getMap("$"));
    }
  }

  @Test
  void format_ofAnotherName_isRefused() {
    given()
        .get("/q/openapi?format=xml")
        .then()
        .statusCode(400)
        .body("detail", containsString("format: xml"));
  }
}
