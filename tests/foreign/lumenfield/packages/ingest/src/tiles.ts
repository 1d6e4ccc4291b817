export const TILE = 512;

/** Cuts a scene into tiles; the last row and column are padded. */
export function tiles(width: number, height: number): Array<[number, number]> {
  const out: Array<[number, number]> = [];
  for (let y = 0; y < height; y += TILE) {
    for (let x = 0; x < width; x += TILE) {
      out.push([x, y]);
    }
  }
  return out;
}
