// A button that re-checks the certificate that the page carries, in a worker. `kernel` is the verified kernel, as made from
// its proof: it leaves one function, from a certificate's bytes to a verdict in words.
(() => {
  "use strict";
  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };
  const link = document.querySelector("a[download]"), verdict = document.querySelector(".verdict");
  const start = element("button", "Re-check this certificate"), stop = element("button", "Stop");
  const said = element("p", "Nothing has been checked on this page yet."), buttons = element("p", "");
  const about = "This page holds the verified kernel: a program made from a proof in Coq that what it accepts is true. It can" +
    " re-check the certificate that this page carries here, in your browser; nothing is sent anywhere.";
  const section = element("section", "");
  section.id = "recheck";
  section.className = "screen";
  said.setAttribute("role", "status");
  stop.disabled = true;
  buttons.append(start, " ", stop);
  section.append(element("h2", "Check it here"), element("p", about), buttons, said);
  verdict.after(section);

  const work = (run) => {
    onmessage = (message) => {
      run();
      postMessage(globalThis.shufflecertKernel(message.data));
    };
  };
  start.addEventListener("click", () => {
    const source = new Blob(["(" + work + ")(" + kernel + ");"], { type: "text/javascript" });
    const address = URL.createObjectURL(source), worker = new Worker(address), from = performance.now();
    const seconds = () => ((performance.now() - from) / 1000).toFixed(1) + " s";
    const progress = () => { said.textContent = "Checking: " + seconds() + " so far."; };
    const clock = setInterval(progress, 200);
    const end = (words) => {
      clearInterval(clock);
      worker.terminate();
      URL.revokeObjectURL(address);
      start.disabled = false;
      stop.disabled = true;
      said.textContent = words;
    };
    start.disabled = true;
    stop.disabled = false;
    stop.onclick = () => end("Stopped after " + seconds() + ": nothing was found out.");
    worker.onerror = (error) => end("The verified kernel could not run here: " + error.message);
    worker.onmessage = (message) => {
      const [status, ...reason] = message.data.split(": ");
      end(status + " by the verified kernel, in " + seconds() + ": " + reason.join(": ") + ".");
    };
    progress();
    worker.postMessage(atob(link.href.slice(link.href.indexOf(",") + 1)));
  });
})();
