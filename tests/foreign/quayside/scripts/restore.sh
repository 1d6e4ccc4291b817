#!/bin/sh
# Restores last night's backup into a scratch database and counts the rows.
set -eu
createdb scratch
pg_restore --dbname scratch "$1"
psql scratch --command 'select count(*) from bookings'
dropdb scratch
