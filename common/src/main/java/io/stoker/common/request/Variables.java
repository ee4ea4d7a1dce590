package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request's environment variables.
 *
 * @param plain by name, those whose value the request says
 * @param secrets by name, the secret whose value the host puts in
 */
record Variables(Map<String, String> plain, Map<String, String> secrets) {
  private static final String ENV = "env";
  private static final String SECRET = "secret";

  /**
   * Reads them.
   *
   * @param type of the runner: those of other machines have none of the host's secrets
   */
  static Variables read(FieldReader fields, String type) throws RequestRefused {
    Map<String, String> plain = new LinkedHashMap<>();
    Map<String, String> secrets = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> one : fields.entries(ENV)) {
      String name = one.getKey();
      if (name.indexOf('=') >= 0) {
        throw fields.refused(ENV, name, "names of variables, without =");
      }
      if (one.getValue().isTextual()) {
        plain.put(name, one.getValue().textValue());
      } else {
        String at = ENV + "." + name;
        if (!here(type)) {
          throw fields.refused(at, one.getValue(), "a string: type " + type + " has no secrets");
        }
        secrets.put(
            name,
            secret(one.getValue())
                .orElseThrow(
                    () ->
                        fields.refused(at, one.getValue(), "a string, or " + SecretName.EXPECTED)));
      }
    }
    return new Variables(plain, secrets);
  }

  private static boolean here(String type) {
    return RunnerType.of(type)
        .filter(known -> known.plain() || known == RunnerType.CONTAINER)
        .isPresent();
  }

  private static Optional<String> secret(JsonNode value) {
    return Optional.of(value)
        .filter(node -> node.isObject() && node.size() == 1 && node.path(SECRET).isTextual())
        .map(node -> node.get(SECRET).textValue())
        .filter(SecretName::isValid);
  }
}
