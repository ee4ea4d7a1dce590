# Sourced by mvnw, stoker and .ci/run (POSIX sh). find_jdk looks for a JDK of at least version
# STOKER_MIN_JDK and exports JAVA_HOME: the JAVA_HOME that is set if it will do, else the JDK of the
# `java` on PATH, else the newest one in the usual folders. It returns 1, leaving JAVA_HOME as it
# was, when there is none; no_jdk_help then says what to install.

STOKER_MIN_JDK=21

# jdk_version DIR: a number that rises with the version of the JDK in DIR (21.0.5 -> 21000005).
# Nothing if DIR holds no complete JDK: a JRE, which has no javac, does not build anything.
jdk_version() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 0
  _text=
  if [ -r "$1/release" ]; then
    # Reading the file spares starting a JVM for each candidate.
    _text=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9][0-9.]*\).*/\1/p' "$1/release")
  fi
  if [ -z "$_text" ]; then
    _text=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9][0-9.]*\).*/\1/p')
  fi
  echo "$_text" | awk -F. 'NR == 1 && $1 != "" { printf "%d\n", $1 * 1000000 + $2 * 1000 + $3 }'
}

# home_of_java_on_path: the folder above the real bin/java that PATH leads to, links resolved.
home_of_java_on_path() {
  _java=$(command -v java 2>/dev/null) || return 0
  while [ -h "$_java" ]; do
    _link=$(readlink "$_java") || return 0
    case $_link in
      /*) _java=$_link ;;
      *) _java=${_java%/*}/$_link ;;
    esac
  done
  _bin=$(cd "${_java%/*}" 2>/dev/null && pwd -P) || return 0
  echo "${_bin%/*}"
}

find_jdk() {
  _least=$((STOKER_MIN_JDK * 1000000))
  if [ -n "${JAVA_HOME:-}" ]; then
    _version=$(jdk_version "$JAVA_HOME")
    if [ "${_version:-0}" -ge "$_least" ]; then
      export JAVA_HOME
      return 0
    fi
  fi
  _home=$(home_of_java_on_path)
  if [ -n "$_home" ]; then
    _version=$(jdk_version "$_home")
    if [ "${_version:-0}" -ge "$_least" ]; then
      JAVA_HOME=$_home
      export JAVA_HOME
      return 0
    fi
  fi
  _best=
  _best_version=0
  for _home in /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* "${HOME:-/}"/.sdkman/candidates/java/* \
    "${HOME:-/}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    [ -x "$_home/bin/javac" ] || continue
    _version=$(jdk_version "$_home")
    if [ "${_version:-0}" -ge "$_least" ] && [ "$_version" -gt "$_best_version" ]; then
      _best=$_home
      _best_version=$_version
    fi
  done
  [ -n "$_best" ] || return 1
  JAVA_HOME=$_best
  export JAVA_HOME
}

no_jdk_help() {
  cat >&2 <<HELP
$1: no JDK $STOKER_MIN_JDK or newer found. Looked at: JAVA_HOME (${JAVA_HOME:-not set}), java on PATH, /usr/lib/jvm,
/opt, ~/.sdkman/candidates/java, ~/.jdks and /Library/Java/JavaVirtualMachines.
Install one, for example
  Debian, Ubuntu   apt install openjdk-$STOKER_MIN_JDK-jdk-headless     (or any newer openjdk-*-jdk-headless)
  Fedora, RHEL     dnf install java-$STOKER_MIN_JDK-openjdk-devel
  macOS            brew install openjdk
  anywhere         a build from https://adoptium.net, unpacked below ~/.jdks
or set JAVA_HOME to the folder of one.
HELP
}
