import { tiles } from "../../ingest/src/tiles";

export function visible(width: number, height: number, zoom: number) {
  return tiles(width >> zoom, height >> zoom);
}
