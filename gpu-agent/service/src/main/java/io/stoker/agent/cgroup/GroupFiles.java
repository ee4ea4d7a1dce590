package io.stoker.agent.cgroup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The part of the control group file system that is below one group. Groups are named by their
 * paths from there; the group itself is "".
 */
public interface GroupFiles {
  /** The text of a group's file; empty if there is none, or it cannot be read. */
  Optional<String> read(String group, String file);

  /** Writes to a group's file. */
  void write(String group, String file, String text) throws IOException;

  /** Where a group's file is, for other processes. */
  Path path(String group, String file);

  /** The groups right below one, by their last names; none if there is no such group. */
  List<String> below(String group);

  /** Makes a group, if it is not there. */
  void make(String group) throws IOException;

  /** Removes a group that nobody is in, and none is below. Returns whether it is gone. */
  boolean remove(String group);
}
