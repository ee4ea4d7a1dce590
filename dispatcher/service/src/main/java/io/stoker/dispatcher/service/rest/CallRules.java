package io.stoker.dispatcher.service.rest;

import jakarta.ws.rs.QueryParam;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;

/**
 * Checks a call against its method: the parameters of its query, and the types of its body as they
 * are described in OpenAPI.
 *
 * @param parameters names
 * @param flags those that are true or false
 * @param types of the body; empty if it takes none
 * @param anyQuery whether parameters that it does not have are passed over
 */
record CallRules(Set<String> parameters, Set<String> flags, List<String> types, boolean anyQuery) {
  static CallRules of(Method method) {
    Set<String> parameters = new TreeSet<>();
    Set<String> flags = new TreeSet<>();
    for (Parameter parameter : method.getParameters()) {
      QueryParam named = parameter.getAnnotation(QueryParam.class);
      if (named != null) {
        parameters.add(named.value());
        if (parameter.getType() == boolean.class || parameter.getType() == Boolean.class) {
          flags.add(named.value());
        }
      }
    }
    RequestBody body = method.getAnnotation(RequestBody.class);
    List<String> types =
        body == null ? List.of() : Arrays.stream(body.content()).map(Content::mediaType).toList();
    return new CallRules(parameters, flags, types, method.isAnnotationPresent(TakesAnyQuery.class));
  }

  /**
   * Refuses what the call does not have: a parameter that is misspelt would go unheard.
   *
   * @throws ApiException 400, names the first in order of name
   */
  void checkQuery(Map<String, List<String>> query) {
    if (anyQuery) {
      return;
    }
    new TreeMap<>(query)
        .forEach(
            (name, values) -> {
              if (!parameters.contains(name)) {
                throw ApiException.unknownParameter(name, values.getFirst(), parameters);
              }
              if (flags.contains(name) && !values.stream().allMatch(CallRules::isFlag)) {
                throw ApiException.badRequest(name, values.getFirst(), "true or false");
              }
            });
  }

  private static boolean isFlag(String value) {
    return "true".equalsIgnoreCase(value) || "false".equalsIgnoreCase(value);
  }

  /**
   * Refuses a body of another type. Browsers send three types, and none, for a page of any site
   * without asking; none of them is taken.
   *
   * @param type as sent; empty if it was not
   * @throws ApiException 415
   */
  void checkType(String type) {
    if (!types.isEmpty() && !types.contains(name(type))) {
      throw ApiException.unsupported(type, types);
    }
  }

  /** The name of a media type, without its parameters: it is the same in any case. */
  static String name(String type) {
    int parameter = type.indexOf(';');
    String bare = parameter < 0 ? type : type.substring(0, parameter);
    return bare.strip().toLowerCase(Locale.ROOT);
  }
}
