package io.stoker.dispatcher.service.oidc;

import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.Login;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Says by the claims of a token who somebody is and what they may do: nothing that no value of
 * theirs is named for.
 *
 * @param nameClaim that names them; {@code preferred_username}, else {@code sub}, if empty
 * @param rolesClaim whose values the other two go by
 * @param roles values by what they let people do
 * @param queues by value, {@code *} for all; if it is empty, nobody is kept to some
 */
record ClaimMapping(
    Optional<String> nameClaim,
    String rolesClaim,
    Map<AccessRole, Set<String>> roles,
    Map<String, List<String>> queues) {
  private static final String USERNAME = "preferred_username";
  private static final String SUBJECT = "sub";
  private static final String ALL = "*";
  private static final String NONE = "none";

  /** As much as a sentence says of what a claim holds. */
  private static final int MOST_SAID = 500;

  /** {@link Login.Taken} or {@link Login.NotAllowed}. */
  Login login(Map<String, Object> claims) {
    String claim = nameClaim.orElse(claims.containsKey(USERNAME) ? USERNAME : SUBJECT);
    List<String> names = values(claims, claim);
    if (names.size() != 1 || !AccessTokens.isName(names.getFirst())) {
      return refused(claim, names, AccessTokens.NAMES);
    }
    List<String> values = values(claims, rolesClaim);
    Optional<AccessRole> role = role(values);
    if (role.isEmpty()) {
      return refused(
          rolesClaim, values, "a value for which stoker.oidc.roles names read, submit, …");
    }
    Set<String> own =
        values.stream()
            .map(queues::get)
            .filter(Objects::nonNull)
            .flatMap(Collection::stream)
            .collect(Collectors.toSet());
    if (!queues.isEmpty() && own.isEmpty()) {
      return refused(rolesClaim, values, "a value for which stoker.oidc.queues names queues");
    }
    Set<String> kept = own.contains(ALL) ? Set.of() : own;
    return new Login.Taken(new Caller(Optional.of(names.getFirst()), role.get(), kept));
  }

  /** The highest that a value is named for. */
  private Optional<AccessRole> role(List<String> values) {
    return roles.entrySet().stream()
        .filter(one -> one.getValue().stream().anyMatch(values::contains))
        .map(Map.Entry::getKey)
        .max(Comparator.naturalOrder());
  }

  private static Login refused(String claim, List<String> values, String expected) {
    String said = values.isEmpty() ? NONE : values.toString();
    return new Login.NotAllowed(
        claim, said.length() > MOST_SAID ? said.substring(0, MOST_SAID) + "…" : said, expected);
  }

  /** Of a claim, or of one within others with dots between their names. */
  private static List<String> values(Map<?, ?> claims, String path) {
    Object whole = claims.get(path);
    if (whole != null) {
      return texts(whole);
    }
    int dot = path.indexOf('.');
    return dot > 0 && claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner
        ? values(inner, path.substring(dot + 1))
        : List.of();
  }

  private static List<String> texts(Object value) {
    Collection<?> all = value instanceof Collection<?> many ? many : List.of(value);
    return all.stream().filter(String.class::isInstance).map(String.class::cast).toList();
  }
}
