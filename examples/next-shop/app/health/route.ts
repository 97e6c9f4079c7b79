export function GET(): Response {
  return new Response("ok");
}
