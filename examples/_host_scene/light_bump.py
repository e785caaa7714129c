# Runs on the application's main thread, where `lights` are its lights themselves.
if args["light"] >= len(lights):
    raise ToolError(f"there are only {len(lights)} lights", lights=len(lights))

light = lights[args["light"]]
before = light.intensity
light.set_intensity(before * args["factor"])
print(f"{light.name} {args['light']}: {before} -> {light.intensity}")
return {"light": args["light"], "before": before, "after": light.intensity}
