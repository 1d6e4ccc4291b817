/* Reads a pasted log beside the page, in a worker made of the scripts that are here already: the page stays alive,
   and a reading that nobody waits for any more is ended. Where there can be no worker, the page reads in short pieces. */
(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const PIECE = 20; // milliseconds

  /** What the worker does; it sees nothing of this file but its own text. */
  function listen() {
    "use strict";
    const { failures } = globalThis.reaffirm;
    let data = null;
    globalThis.addEventListener("message", (event) => {
      if (event.data.signatures) {
        data = failures.compile(event.data.signatures);
        return;
      }
      try {
        const far = { done: 0 };
        const reading = failures.read(data, event.data.paste, far);
        let told = performance.now();
        let step = reading.next();
        while (!step.done) {
          if (performance.now() - told > 100) {
            told = performance.now();
            globalThis.postMessage({ done: far.done });
          }
          step = reading.next();
        }
        globalThis.postMessage({ seen: failures.brief(step.value) });
      } catch (error) {
        globalThis.postMessage({ error: error.message });
      }
    });
  }

  class Reader {
    /** `signatures` is what assets/failures.json holds. */
    constructor(signatures) {
      this.signatures = signatures;
      this.data = null;
      this.worker = null;
      this.alone = typeof Worker === "undefined";
      this.asked = null;
    }

    /** Read a paste; null where it was cancelled, by hand or by the next one. `tell` is told how far it is, 0 to 1. */
    read(paste, tell) {
      this.cancel();
      return new Promise((resolve, reject) => {
        this.asked = { paste, tell, resolve, reject };
        try {
          if (!this.alone) this.worker = this.worker || this.start();
        } catch {
          this.alone = true;
        }
        if (this.alone) this.inPieces(this.asked);
        else this.worker.postMessage({ paste });
      });
    }

    /** End the reading that goes on, if any. */
    cancel() {
      if (!this.asked) return;
      if (this.worker) this.worker.terminate();
      this.worker = null;
      this.end((asked) => asked.resolve(null));
    }

    end(how) {
      const { asked } = this;
      this.asked = null;
      if (asked) how(asked);
    }

    start() {
      const text = [...shared.parts, listen].map((part) => `(${part})();`).join("\n");
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const worker = new Worker(address);
      worker.addEventListener("message", ({ data }) => {
        if (worker !== this.worker || !this.asked) return;
        if (data.seen) this.end((asked) => asked.resolve(data.seen));
        else if (data.error) this.end((asked) => asked.reject(new Error(data.error)));
        else this.asked.tell(data.done);
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        if (worker !== this.worker) return;
        // A policy of the site may allow none.
        this.worker = null;
        this.alone = true;
        if (this.asked) this.inPieces(this.asked);
      });
      worker.postMessage({ signatures: this.signatures });
      return worker;
    }

    async inPieces(asked) {
      try {
        this.data = this.data || shared.failures.compile(this.signatures);
        const far = { done: 0 };
        const reading = shared.failures.read(this.data, asked.paste, far);
        let until = performance.now() + PIECE;
        let step = reading.next();
        while (!step.done) {
          if (performance.now() > until) {
            asked.tell(far.done);
            await new Promise((resolve) => setTimeout(resolve, 0));
            if (this.asked !== asked) return;
            until = performance.now() + PIECE;
          }
          step = reading.next();
        }
        this.end(() => asked.resolve(shared.failures.brief(step.value)));
      } catch (error) {
        if (this.asked === asked) this.end(() => asked.reject(error));
      }
    }
  }

  shared.Reader = Reader;
})();
