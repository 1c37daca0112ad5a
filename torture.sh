#!/bin/sh
# Kills, freezes and starves real nodes on real databases and counts what was lost; ./torture.sh --help says how.
# See docs/reliability.md.
set -eu
cd "$(dirname "$0")"
echo "building" >&2
mvn -q -B -pl torture -am -DskipTests -Dspotless.check.skip process-classes
terminal=false
[ -t 1 ] && terminal=true
exec java -Xmx1500m -Dtorture.terminal=$terminal -cp "torture/target/classes:$(cat torture/target/classpath.txt)" outbox.torture.Torture "$@"
