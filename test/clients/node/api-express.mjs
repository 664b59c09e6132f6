import express from "express";
import { auth } from "express-oauth2-jwt-bearer";
import { application, serve } from "./program.mjs";

// Strict: the token has the type and the claims of RFC 9068.
const app = express();
app.use("/api", auth({ issuerBaseURL: application.issuer, audience: application.clientId, strict: true }));
app.get("/api", (request, response) => void response.send(request.auth.payload.sub));
serve(app);
