import dataclasses

found = [dataclasses.asdict(application.lamp), dataclasses.astuple(application.lamp), application.lamp]
found += [str(field.name) for field in dataclasses.fields(application.lamp) if field.name != "name"]
try:
    found.append(application.lamp._secret)
except AttributeError:
    pass
kind = type(application.lamp)
try:
    match application.lamp:
        case kind(name, secret):
            found.append(secret)
except TypeError:
    pass
return found
