/**
 * Loaded before the program (`--import`): its wall clock is off by CLOCK_STEP_MS from the start, and goes back an hour with
 * each SIGUSR2, which it says on stderr.
 */
const realNow = Date.now.bind(Date);
let stepMs = Number(process.env["CLOCK_STEP_MS"] ?? "0");

Date.now = () => realNow() + stepMs;

process.on("SIGUSR2", () => {
  stepMs -= 3_600_000;
  process.stderr.write(`${JSON.stringify({ msg: "clock.stepped" })}\n`);
});
