// Decodes a ThumbHash into at most 32 × 32 pixels: a cosine transform of some 25 bytes, by Evan Wallace
// (https://evanw.github.io/thumbhash/; the format is that of evanw/thumbhash, rust/src/lib.rs).
function decodeThumbHash(hash) {
  const header = hash[0] | hash[1] << 8 | hash[2] << 16, sizes = hash[3] | hash[4] << 8;
  const hasAlpha = header >> 23 !== 0, isLandscape = sizes >> 15 !== 0;
  const long = hasAlpha ? 5 : 7, short = Math.max(1, sizes & 7);
  const columns = isLandscape ? long : short, rows = isLandscape ? short : long;
  const factors = [...hash.slice(hasAlpha ? 6 : 5)].flatMap(byte => [byte & 15, byte >> 4]);

  // A channel has a mean, and waves on it.
  const channel = (mean, scale, columns, rows) => {
    const waves = [];
    for (let y = 0; y < rows; y++) {
      for (let x = y ? 0 : 1; x * rows < columns * (rows - y); x++) {
        if (!factors.length) throw new RangeError("The ThumbHash is too short.");
        waves.push({ x, y, amplitude: (factors.shift() / 7.5 - 1) * scale });
      }
    }
    return (x, y) => waves.reduce((sum, wave) => sum + wave.amplitude * x[wave.x] * y[wave.y] * 2, mean);
  };
  const light = channel((header & 63) / 63, (header >> 18 & 31) / 31, Math.max(3, columns), Math.max(3, rows));
  // The colours' scale is larger by a quarter, because quantization takes saturation away.
  const yellow = channel((header >> 6 & 63) / 31.5 - 1, (sizes >> 3 & 63) / 63 * 1.25, 3, 3);
  const red = channel((header >> 12 & 63) / 31.5 - 1, (sizes >> 9 & 63) / 63 * 1.25, 3, 3);
  const alpha = hasAlpha ? channel((hash[5] & 15) / 15, (hash[5] >> 4) / 15, 5, 5) : () => 1;

  const ratio = columns / rows;
  const width = Math.round(ratio > 1 ? 32 : 32 * ratio), height = Math.round(ratio > 1 ? 32 / ratio : 32);
  const cosines = (position, size) =>
    Array.from({ length: 7 }, (_, index) => Math.cos(Math.PI / size * (position + 0.5) * index));
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = cosines(column, width), y = cosines(row, height);
      const l = light(x, y), q = red(x, y), b = l - 2 / 3 * yellow(x, y), r = (3 * l - b + q) / 2;
      pixels.set([r, r - q, b, alpha(x, y)].map(value => value * 255), (row * width + column) * 4);
    }
  }
  return { width, height, pixels };
}
