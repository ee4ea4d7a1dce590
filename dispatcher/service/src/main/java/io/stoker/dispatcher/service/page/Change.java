package io.stoker.dispatcher.service.page;

import java.util.List;

/**
 * A change that a status tells; all of it but the id may be absent.
 *
 * @param id of the request; null of a host's own message
 * @param members of a gang
 */
record Change(String id, String host, String queue, String group, List<Member> members) {
  record Member(String host) {}

  static Change ofHost(String host) {
    return new Change(null, host, null, null, null);
  }

  boolean isOn(String name) {
    return name.equals(host)
        || members != null && members.stream().anyMatch(one -> name.equals(one.host()));
  }
}
