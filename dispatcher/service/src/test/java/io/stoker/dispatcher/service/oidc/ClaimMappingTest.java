package io.stoker.dispatcher.service.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.security.AccessRole;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.Login;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClaimMappingTest {
  private static final Map<AccessRole, Set<String>> ROLES =
      Map.of(AccessRole.SUBMIT, Set.of("users", "b"), AccessRole.ADMIN, Set.of("roots"));

  private static ClaimMapping mapping(String name, String roles) {
    return new ClaimMapping(Optional.ofNullable(name), roles, ROLES, Map.of());
  }

  private static Login taken(String name, AccessRole role, String... queues) {
    return new Login.Taken(new Caller(Optional.of(name), role, Set.of(queues)));
  }

  @Test
  void login_byAClaimWhoseNameHasDots_isByThatClaim() {
    ClaimMapping mapping = mapping(null, "https://example.com/roles");

    assertThat(mapping.login(Map.of("sub", "ann", "https://example.com/roles", "users")))
        .isEqualTo(taken("ann", AccessRole.SUBMIT));
  }

  @Test
  void login_ofANameClaimThatIsNotThere_isNotByAnother() {
    Map<String, Object> claims =
        Map.of("sub", "s", "preferred_username", "ann", "groups", List.of("roots"));

    assertThat(mapping("email", "groups").login(claims))
        .isInstanceOfSatisfying(
            Login.NotAllowed.class, refused -> assertThat(refused.field()).isEqualTo("email"));
    assertThat(mapping(null, "groups").login(claims)).isEqualTo(taken("ann", AccessRole.ADMIN));
  }

  @Test
  void login_inSeveralGroups_hasTheQueuesOfAllOfThem() {
    Map<String, List<String>> queues =
        Map.of("a", List.of("x"), "b", List.of("y", "z"), "c", List.of("*"));
    ClaimMapping mapping = new ClaimMapping(Optional.empty(), "groups", ROLES, queues);

    assertThat(mapping.login(Map.of("sub", "ann", "groups", List.of("a", "b"))))
        .isEqualTo(taken("ann", AccessRole.SUBMIT, "x", "y", "z"));
    assertThat(mapping.login(Map.of("sub", "ann", "groups", List.of("b", "c"))))
        .isEqualTo(taken("ann", AccessRole.SUBMIT));
    assertThat(mapping.login(Map.of("sub", "ann", "groups", List.of("users"))))
        .isInstanceOf(Login.NotAllowed.class);
  }
}
