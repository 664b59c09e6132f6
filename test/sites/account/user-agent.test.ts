import { expect, test } from "@jest/globals";
import { recogniseBrowser } from "../../../src/sites/account/user-agent.ts";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0";

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, "Chrome", "Windows"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/141.0.0.0`, "Edge", "Windows"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36 EdgA/141.0.0.0`, "Edge", "Android"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    "Safari",
    "macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1",
    "Chrome",
    "iPhone",
  ],
])("%s", (userAgent, browser, system) => {
  expect(recogniseBrowser(userAgent)).toEqual({ browser, system });
});

test.each(["", "curl/8.5.0", "<script>", "Firefox", "Linux"])(
  "what says nothing is not known: %p",
  (userAgent) => {
    expect(recogniseBrowser(userAgent)).toBeUndefined();
  },
);
