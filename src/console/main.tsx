import { render } from "preact";
import { App } from "./app/app.tsx";
import "./styles/console.css";

const root = document.getElementById("console");
if (root === null) throw new Error("index.html has no place for the console");
render(<App nowMs={() => Date.now()} />, root);
