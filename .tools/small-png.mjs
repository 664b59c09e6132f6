// Makes a picture of a screen smaller: a palette of its 256 most frequent colours instead of three bytes for each point. On plain
// areas and letters nobody sees the difference. The format is that of the PNG Specification (W3C, third edition).
import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from("89504e470d0a1a0a", "hex");

/** Returns the picture of a browser (eight bits a channel, RGB or RGBA without transparent points) with a palette. */
export function toSmallPng(png) {
  const chunks = readChunks(png);
  const header = chunks.find(({ type }) => type === "IHDR").data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9]];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) throw new Error("a PNG of another kind");
  const stored = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)),
  );
  const colours = readColours(unfilter(stored, { height, rowBytes: width * channels, channels }), channels);
  const palette = findMostFrequent(colours, 256);
  const rows = Buffer.alloc((width + 1) * height); // each begins with its filter: none
  const indexOf = new Map();
  for (const [at, colour] of colours.entries()) {
    if (!indexOf.has(colour)) indexOf.set(colour, findNearest(palette, colour));
    rows[at + Math.floor(at / width) + 1] = indexOf.get(colour);
  }
  const newHeader = Buffer.from(header);
  newHeader[9] = 3; // a palette
  return Buffer.concat([
    signature,
    toChunk("IHDR", newHeader),
    toChunk("PLTE", Buffer.from(palette.flatMap(toParts))),
    toChunk("IDAT", deflateSync(rows, { level: 9 })),
    toChunk("IEND", Buffer.alloc(0)),
  ]);
}

function readChunks(png) {
  const chunks = [];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

/** Takes back the filters of the rows (§9). */
function unfilter(stored, { height, rowBytes, channels }) {
  const points = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = stored[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const left = x < channels ? 0 : points[at - channels];
      const up = y === 0 ? 0 : points[at - rowBytes];
      const corner = x < channels || y === 0 ? 0 : points[at - rowBytes - channels];
      const expected = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      points[at] = stored[y * (rowBytes + 1) + 1 + x] + expected;
    }
  }
  return points;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [ofLeft, ofUp, ofCorner] = [left, up, corner].map((each) => Math.abs(guess - each));
  if (ofLeft <= ofUp && ofLeft <= ofCorner) return left;
  return ofUp <= ofCorner ? up : corner;
}

function readColours(points, channels) {
  return Uint32Array.from({ length: points.length / channels }, (_none, index) =>
    points.readUIntBE(index * channels, 3),
  );
}

function findMostFrequent(colours, count) {
  const times = new Map();
  for (const colour of colours) times.set(colour, (times.get(colour) ?? 0) + 1);
  return [...times]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, count)
    .map(([colour]) => colour);
}

function findNearest(palette, colour) {
  const wanted = toParts(colour);
  const distances = palette.map((each) =>
    toParts(each).reduce((sum, part, index) => sum + (part - wanted[index]) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function toParts(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function toChunk(type, data) {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
