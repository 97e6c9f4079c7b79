let text: Promise<string> | undefined;

/** The OpenAPI document of the service that is served, made when it is first asked for. */
export async function openApiAnswer(): Promise<Response> {
  text ??= import("../../wire/openapi.ts").then(({ openApiDocument }) =>
    JSON.stringify(openApiDocument()),
  );
  return new Response(await text, { headers: { "Content-Type": "application/json" } });
}
