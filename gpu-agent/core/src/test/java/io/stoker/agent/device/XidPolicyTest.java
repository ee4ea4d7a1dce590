package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XidPolicyTest {

  @ParameterizedTest
  @ValueSource(longs = {13, 31, 43, 45, 68, 109})
  void xidsOfApplicationsLeaveTheDeviceHealthy(long xid) {
    assertThat(XidPolicy.DEFAULT.isHarmless(xid)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 48, 63, 74, 79, 94, 95, 119, 9999})
  void everyOtherOneDoesNot(long xid) {
    assertThat(XidPolicy.DEFAULT.isHarmless(xid)).isFalse();
  }

  @Test
  void theSetCanBeChosen() {
    assertThat(new XidPolicy(Set.of(79L)).isHarmless(79)).isTrue();
    assertThat(new XidPolicy(Set.of(79L)).isHarmless(13)).isFalse();
  }
}
