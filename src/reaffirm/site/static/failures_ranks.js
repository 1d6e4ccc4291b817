/* Whose line a line of a pasted log is, by what an engine puts before it. The same as Python's
   diagnose/rank_marks.py, step by step: tests hold the two against each other. */
((part) => {
  // Kept for the worker, which is made of the text of such parts.
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  (shared.parts = shared.parts || []).push(part);
  part();
})(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const MOST_RANKS = 64; // of more ranks than this nobody pasted the log: the marks mean something else
  // "2026-11-30T09:55:06.12Z (EngineCore pid=21) [2026-11-30 09:55:06 TP0] [rank1]: ", as much of it as there is.
  const LED = new RegExp(
    "^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[^ ]{1,40} )?" +
      "((?:(?:\\([^()]{1,120}\\)|\\[[^\\[\\]]{1,120}\\]:?) ?){1,5})",
    "u",
  );
  // (Worker_TP0 pid=31), (Worker_DP0_TP1_EP1 pid=31), (VllmWorker TP1 pid=31), [2026-11-30 09:55:06 PP0 TP1]
  const PARTS = new RegExp(
    "\\((?:Vllm)?Worker((?:[_ ][A-Z]{2,4}[0-9]{1,5})+) pid=[0-9]" +
      "|\\[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\\]A-Z]{0,40}((?: [A-Z_]{2,8}[0-9]{1,5})+)\\]",
    "u",
  );
  // TP0: text, [TP0] text, "TP0 text", PP0 TP1: text; as people shorten a line, or a log shipper does.
  const BARE = new RegExp(
    "^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[^ ]{1,40} )?" +
      "\\[?((?:(?:DP|PP|TP|EP|CP)[0-9]{1,5}[ _]){0,4}(?:DP|PP|TP|EP|CP)[0-9]{1,5})\\]?:?(?: |$)",
    "u",
  );
  // [rank1]: and [rank1]:[W1130 …], as PyTorch has it; (VllmWorker rank=1 pid=31)
  const NUMBER = /\[rank([0-9]{1,5})\]:|\(VllmWorker rank=([0-9]{1,5}) pid=/u;
  // (RayWorkerWrapper pid=471, ip=10.0.14.41); the node of the driver has no ip.
  const RAY = /\(Ray[A-Za-z]{1,30} pid=([0-9]{1,9})(?:, ip=([0-9A-Fa-f.:]{2,45}))?\)/u;
  const PLAIN = /^(?:TP|PP)(?=[0-9]+$)/u;
  const NOTHING = ["", "", ""];

  const nameOf = (parts) => parts.replaceAll("_", " ").split(" ").filter(Boolean).join(" ");

  /** The parts of a rank's name, the process of Ray, and the number; empty: not told. */
  function marks(line) {
    const bare = BARE.exec(line);
    if (bare) return [nameOf(bare[1]), "", ""];
    const led = LED.exec(line);
    if (!led) return NOTHING;
    const [parts, ray, number] = [PARTS, RAY, NUMBER].map((one) => one.exec(led[1]));
    return [
      parts ? nameOf(parts[1] || parts[2]) : "",
      ray ? (ray[2] ? `pid ${ray[1]} at ${ray[2]}` : `pid ${ray[1]}`) : "",
      number ? String(Number(number[1] || number[2])) : "",
    ];
  }

  /** The name of each line's rank; empty where nothing tells, and everywhere unless it tells two apart. Yields now
      and then, as `due` of a line tells. */
  function* whose(lines, due) {
    const seen = [];
    for (const line of lines) {
      seen.push(marks(line));
      if (due(line)) yield;
    }
    const ofRay = new Map(seen.filter(([name, ray]) => name && ray).map(([name, ray]) => [ray, name]));
    const parts = new Set(seen.map(([name]) => name).filter(Boolean));
    const kinds = new Set([...parts].map((name) => (PLAIN.exec(name) || [""])[0]));
    const kind = kinds.size ? [...kinds][0] : "rank";
    const isTold = !kinds.has("") && kinds.size < 2;
    const names = seen.map(([name, ray, number]) => {
      if (name || ray) return name || ofRay.get(ray) || ray;
      return number && isTold ? kind + number : "";
    });
    const known = new Set(names.filter(Boolean)).size;
    return known >= 2 && known <= MOST_RANKS ? names : names.map(() => "");
  }

  shared.ranks = { whose };
});
